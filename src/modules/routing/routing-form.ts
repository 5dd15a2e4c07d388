import type { AppError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json-values.js';

export const MOST_TABLES = 20;
export const MOST_RULES = 1_000;
export const MOST_OF_A_RULE = 100;
/** Limit over all tables, because every process keeps them in memory. */
export const MOST_PREFIXES = 200_000;
export const MOST_ROUTES = 5;
/** Digits of a prefix: E.164 numbers have at most 15. */
export const LONGEST_PREFIX = 15;
export const LONGEST_CATEGORY = 32;
export const MOST_CANDIDATES = 100;

export interface NamedRule {
  prefixes: string[];
  accounts: string[] | null;
  categories: string[] | null;
  routes: string[];
}

export interface RuleFaults {
  noArray: () => AppError;
  tooManyRules: () => AppError;
  noRule: (path: string) => AppError;
  noTexts: (path: string) => AppError;
  tooManyOf: (path: string) => AppError;
  emptyList: (path: string) => AppError;
  prefix: (path: string) => AppError;
  category: (path: string) => AppError;
  routeCount: (path: string) => AppError;
  routeTwice: (path: string) => AppError;
}

const PREFIX = new RegExp(`^\\d{1,${LONGEST_PREFIX}}$`);
const CATEGORY = new RegExp(`^[a-z0-9_-]{1,${LONGEST_CATEGORY}}$`);

export const isCategory = (text: string): boolean => CATEGORY.test(text);

/** @throws the first fault, in the order of the rules and of the fields prefixes, accounts, categories, routes */
export function readRules(value: unknown, faults: RuleFaults): NamedRule[] {
  if (!Array.isArray(value)) throw faults.noArray();
  if (value.length > MOST_RULES) throw faults.tooManyRules();
  return value.map((rule: unknown, at) => readRule(rule, `rules[${at}]`, faults));
}

function readRule(rule: unknown, path: string, faults: RuleFaults): NamedRule {
  if (!isObject(rule)) throw faults.noRule(path);
  const texts = (field: string): string[] => readTexts(rule[field], `${path}.${field}`, faults);
  const someOrNone = (field: string): string[] | null => {
    if (rule[field] === undefined || rule[field] === null) return null;
    const list = texts(field);
    if (list.length === 0) throw faults.emptyList(`${path}.${field}`);
    return list;
  };
  const prefixes = texts('prefixes');
  const wrong = prefixes.findIndex((prefix) => !PREFIX.test(prefix));
  if (wrong >= 0) throw faults.prefix(`${path}.prefixes[${wrong}]`);
  const accounts = someOrNone('accounts');
  const categories = someOrNone('categories');
  const odd = categories?.findIndex((category) => !isCategory(category)) ?? -1;
  if (odd >= 0) throw faults.category(`${path}.categories[${odd}]`);
  const routes = texts('routes');
  if (routes.length === 0 || routes.length > MOST_ROUTES) throw faults.routeCount(`${path}.routes`);
  if (new Set(routes).size < routes.length) throw faults.routeTwice(`${path}.routes`);
  return { prefixes, accounts, categories, routes };
}

function readTexts(value: unknown, path: string, faults: RuleFaults): string[] {
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) throw faults.noTexts(path);
  if (value.length > MOST_OF_A_RULE) throw faults.tooManyOf(path);
  return value;
}
