import { createRequire } from 'node:module';

const MOST_COMMON = 10_000;

/** Read when a password is first judged: the list is half a megabyte, and few processes need it. */
let common: ReadonlySet<string> | null = null;

function readCommon(): ReadonlySet<string> {
  const { dictionary } = createRequire(import.meta.url)('@zxcvbn-ts/language-common') as {
    dictionary: Readonly<Record<'passwords-common', readonly string[]>>;
  };
  // ordered by how often they are used
  return new Set(dictionary['passwords-common'].slice(0, MOST_COMMON).map((password) => password.toLowerCase()));
}

/** Whether a password is one of the 10,000 that are used most, in any case of letters. */
export const isCommonPassword = (password: string): boolean => (common ??= readCommon()).has(password.toLowerCase());
