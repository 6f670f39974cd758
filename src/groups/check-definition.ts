import { AppError, countCharacters, fieldPath, type Issue, tooLong, wantedOneOf } from '../kernel/index.ts';
import { AGGREGATIONS } from './contract/definition.ts';
import type { Aggregation, GroupAttribute } from './definition.ts';

/** Lengths are characters (docs/spec/identity-and-groups.md#group-definition). */
const ID = { least: 3, most: 32 };
const DESCRIPTION_MOST = 255;
const ATTRIBUTE_ID_MOST = 223;
const ATTRIBUTES_MOST = 10;

/** A definition as a caller writes it: of the right shape, its limits not checked yet. */
export interface GivenDefinition {
  readonly id: string;
  readonly description: string;
  readonly source_user_attribute: string;
  readonly attributes: readonly { readonly id: string; readonly type: string }[];
}

export interface CheckedDefinition {
  readonly id: string;
  readonly description: string;
  readonly sourceUserAttribute: string;
  readonly attributes: readonly GroupAttribute[];
}

/**
 * Checks the limits of a definition and its aggregations. Throws UNPROCESSABLE that lists every broken limit and
 * unknown aggregation.
 */
export function checkDefinition(given: GivenDefinition): CheckedDefinition {
  const { id, description, source_user_attribute: source, attributes } = given;
  const issues = [...idIssues(id), ...lengthIssues('description', description, DESCRIPTION_MOST)];
  // An attribute without a name does not exist.
  if (source === '')
    issues.push({ path: 'source_user_attribute', message: 'must name a user attribute, but is empty' });
  issues.push(...listIssues(attributes));
  for (const [index, attribute] of attributes.entries()) {
    const isRepeated = attributes.findIndex((other) => other.id === attribute.id) < index;
    issues.push(...attributeIssues(attribute, { path: fieldPath('attributes', index), isRepeated }));
  }
  if (issues.length > 0) throw unprocessable(issues);
  return { id, description, sourceUserAttribute: source, attributes: groupAttributes(attributes) };
}

/** Makes the error for a body that is understood but breaks a limit: 422 (D-071). */
export function unprocessable(issues: readonly Issue[]): AppError {
  const text = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return new AppError('UNPROCESSABLE', text, { issues });
}

type GivenAttribute = GivenDefinition['attributes'][number];

const isAggregation = (name: string): name is Aggregation => AGGREGATIONS.some((known) => known === name);

const groupAttributes = (attributes: readonly GivenAttribute[]): readonly GroupAttribute[] =>
  attributes.flatMap(({ id, type }) => (isAggregation(type) ? { id, type } : []));

function idIssues(id: string): readonly Issue[] {
  const length = countCharacters(id);
  if (length < ID.least) {
    return [{ path: 'id', message: `has ${length} characters; a group id has at least ${ID.least}` }];
  }
  return lengthIssues('id', id, ID.most);
}

function lengthIssues(path: string, value: string, most: number): Issue[] {
  const message = tooLong(value, most);
  return message === undefined ? [] : [{ path, message }];
}

function listIssues({ length }: readonly unknown[]): readonly Issue[] {
  if (length <= ATTRIBUTES_MOST) return [];
  return [{ path: 'attributes', message: `has ${length} attributes; at most ${ATTRIBUTES_MOST} are allowed` }];
}

function attributeIssues(
  { id, type }: GivenAttribute,
  { path, isRepeated }: { readonly path: string; readonly isRepeated: boolean },
): readonly Issue[] {
  const issues = lengthIssues(fieldPath(path, 'id'), id, ATTRIBUTE_ID_MOST);
  if (id === '') issues.push({ path: fieldPath(path, 'id'), message: 'must name a user attribute, but is empty' });
  if (isRepeated) issues.push({ path: fieldPath(path, 'id'), message: `"${id}" is given twice; remove one` });
  if (!isAggregation(type)) {
    issues.push({ path: fieldPath(path, 'type'), message: wantedOneOf(AGGREGATIONS, type) });
  }
  return issues;
}
