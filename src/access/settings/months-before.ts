/** Returns the same day and time of UTC so many calendar months earlier; in a shorter month, its last day. */
export function monthsBefore(time: Date, months: number): Date {
  const earlier = new Date(time);
  earlier.setUTCDate(1);
  earlier.setUTCMonth(earlier.getUTCMonth() - months);
  const daysInMonth = new Date(Date.UTC(earlier.getUTCFullYear(), earlier.getUTCMonth() + 1, 0)).getUTCDate();
  earlier.setUTCDate(Math.min(time.getUTCDate(), daysInMonth));
  return earlier;
}
