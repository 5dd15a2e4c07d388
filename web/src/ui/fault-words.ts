/** The path of a field that a text of the API begins with, such as `config.host` or `allowed_ips[0]`. */
const PATH =
  /^([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*)(?:\[(\d+)\])?(?:\.[a-z0-9_]+)* (?=is |are |was |must |has |have |cannot |names )/;

/** Beginnings, and the words that stand in their place. */
const PLAIN: readonly (readonly [begin: string, text: string])[] = [
  ['is required', 'Required'],
  ['is invalid', 'Not valid'],
  ['was set by staff', 'Set by staff: ask them to change it'],
  ['must be a non-empty array', 'Choose or enter at least one'],
];

/** `Must be …` of `must be …`, or the usual words. */
function plain(rest: string): string {
  const known = PLAIN.find(([begin]) => rest.startsWith(begin));
  return known ? known[1] + rest.slice(known[0].length) : rest.slice(0, 1).toUpperCase() + rest.slice(1);
}

/**
 * A text of the API as it stands at its field: without the path of the field.
 * `allowed_ips[0] is not an IP address` → `Entry 1 is not an IP address`
 */
export function faultAtField(message: string): string {
  const [path, , index] = PATH.exec(message) ?? [];
  if (path === undefined) return message;
  const rest = message.slice(path.length);
  return index === undefined ? plain(rest) : `Entry ${String(Number(index) + 1)} ${rest}`;
}

/** The same away from its field: with its label. @param labels by the name that the API has for the field */
export function faultWithLabel(message: string, labels: Readonly<Record<string, string>>): string {
  const [path, name = '', index] = PATH.exec(message) ?? [];
  const label = labels[name];
  if (path === undefined || label === undefined) return message;
  const entry = index === undefined ? '' : `, entry ${String(Number(index) + 1)}`;
  return `${label}${entry}: ${message.slice(path.length)}`;
}
