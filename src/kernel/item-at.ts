/** Returns the item at an index. Throws a `RangeError` where there is none, which is a defect of the caller. */
export function itemAt<Item>(items: ArrayLike<Item>, index: number): Item {
  const item = items[index];
  // an item may itself be undefined, so the index decides and not the value
  if (item === undefined && !(index in items)) throw new RangeError(`There is no item ${index} among ${items.length}.`);
  return item as Item;
}
