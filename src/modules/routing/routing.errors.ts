import {
  conflict,
  type DocumentedError,
  invalid,
  notFound,
  atMost,
  atMostEntries,
  fieldErrors,
} from '../../kernel/errors.js';
import { valueErrors } from '../../platform/http/index.js';
import { OPERATOR_ROUTE_KINDS } from '../providers/index.js';
import {
  LONGEST_CATEGORY,
  LONGEST_PREFIX,
  MOST_OF_A_RULE,
  MOST_PREFIXES,
  MOST_ROUTES,
  MOST_RULES,
  MOST_TABLES,
} from './routing-form.js';

const NAMED = 10;
/** Joins names from a request, shortened. */
const listed = (names: readonly string[] | string): string => {
  if (typeof names === 'string') return names;
  const some = names.slice(0, NAMED).map((name) => name.slice(0, 64));
  return [...some, ...(names.length > NAMED ? ['…'] : [])].join(', ');
};

/** Errors of routing tables and allowed routes (reference/routing#rules). */
export const routingErrors = {
  notFound: notFound('routing_table_not_found', 'Routing table not found', 'no table of that name'),
  name: invalid(
    'invalid_routing_table',
    fieldErrors.invalid.shown('name').text,
    'not 1 to 64 of A-Z a-z 0-9 . _ -, or `explain`',
  ),
  tooManyRules: invalid('too_many_rules', atMostEntries('rules', MOST_RULES), 'more'),
  noRule: fieldErrors.invalid.because('no object'),
  noTexts: valueErrors.noTexts.because('missing (prefixes, routes), or something else'),
  tooManyOf: invalid('invalid_rule', (path: string) => atMostEntries(path, MOST_OF_A_RULE), 'more'),
  emptyList: invalid(
    'invalid_rule',
    (path: string) => fieldErrors.emptyArray.shown(path).text,
    'accounts or categories without entries: absent or null means all',
  ),
  prefix: invalid('invalid_rule', (path: string) => `${path} must be 1 to ${LONGEST_PREFIX} digits`, 'something else'),
  category: invalid(
    'invalid_rule',
    (path: string) => `${path} must be a lower-case word of at most ${LONGEST_CATEGORY} characters`,
    'something else than a-z 0-9 _ -',
  ),
  routeCount: invalid(
    'invalid_rule',
    (path: string) => `${path} must have 1 to ${MOST_ROUTES} entries`,
    'none, or more',
  ),
  routeTwice: invalid('invalid_rule', (path: string) => `${path} names a route twice`, 'a route twice'),
  unknownRoutes: invalid(
    'unknown_routes',
    (names: readonly string[] | string) => `Unknown routes: ${listed(names)}`,
    'no routes of those names',
  ),
  otherKind: invalid(
    'routes_of_another_channel',
    (names: readonly string[] | string) => `Routes of another channel: ${listed(names)}`,
    'they carry something else than the table’s channel',
  ),
  unknownAccounts: invalid(
    'unknown_accounts',
    (names: readonly string[] | string) => `Unknown accounts: ${listed(names)}`,
    'no accounts of those usernames',
  ),
  tooManyTables: conflict('too_many_of', atMost(MOST_TABLES, 'routing tables'), 'one more'),
  tooManyPrefixes: conflict('too_many_of', atMost(MOST_PREFIXES, 'prefixes'), 'of all tables together'),
  tooManyAllowed: invalid('too_many_routes', `allowed_routes must have at most ${MOST_OF_A_RULE} entries`, 'more'),
};

/** Errors of `PUT /routing/:name`, in the order of validation. */
export const PUT_ROUTING_ERRORS: readonly DocumentedError[] = [
  routingErrors.name,
  fieldErrors.noWord.shown('channel', OPERATOR_ROUTE_KINDS).because('another word'),
  fieldErrors.noArray.shown('rules').because('missing, or something else'),
  routingErrors.tooManyRules,
  routingErrors.noRule.shown('rules[0]'),
  routingErrors.noTexts.shown('rules[0].prefixes'),
  routingErrors.tooManyOf.shown('rules[0].prefixes'),
  routingErrors.prefix.shown('rules[0].prefixes[0]'),
  routingErrors.emptyList.shown('rules[0].accounts'),
  routingErrors.category.shown('rules[0].categories[0]'),
  routingErrors.routeCount.shown('rules[0].routes'),
  routingErrors.routeTwice.shown('rules[0].routes'),
  routingErrors.unknownRoutes.shown('carrier-9'),
  routingErrors.otherKind.shown('phone-1'),
  routingErrors.unknownAccounts.shown('jane.doe'),
  routingErrors.tooManyTables,
  routingErrors.tooManyPrefixes,
];
