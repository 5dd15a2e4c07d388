import { z } from 'zod';

/** Where a cell's API is reached. */
export interface CellAddress {
  /** one lower-case letter */
  cell: string;
  /** origin, such as `http://10.0.1.10:3000` */
  url: string;
}

const pairs = (text: string): [cell: string, value: string][] =>
  text
    .split(',')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
    .map((pair) => [pair.slice(0, 1), pair.slice(2)]);

const isOnce = (text: string): boolean => new Set(pairs(text).map(([cell]) => cell)).size === pairs(text).length;

const isOrigin = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).href === `${new URL(text).origin}/`;

/** The variables of cells and of the front before them (reference/cells#what-a-cell-is-given). */
export const cellVariables = {
  CELL: z
    .string()
    .regex(/^[a-z]$/, 'one letter a to z')
    .optional(),
  CELL_TOKEN: z.string().min(16).optional(),
  DIRECTORY_URL: z.url({ protocol: /^(mysql|mariadb)$/ }).optional(),
  CELLS: z
    .string()
    .default('')
    .refine(
      (text) => isOnce(text) && text.split(',').every((pair) => pair.trim() === '' || /^[a-z]=/.test(pair.trim())),
      'letters and addresses such as a=http://10.0.1.10:3000,b=http://10.0.2.10:3000, each letter once',
    )
    .refine((text) => pairs(text).every(([, url]) => isOrigin(url)), 'addresses without a path, http or https')
    .transform((text): CellAddress[] => pairs(text).map(([cell, url]) => ({ cell, url: new URL(url).origin }))),
  NEW_ACCOUNTS: z
    .string()
    .regex(/^([a-z]=\d{1,4}(,|$))*$/, 'letters and weights such as a=1,b=3')
    .default('')
    .refine(isOnce, 'each letter once')
    .transform((text) => new Map(pairs(text).map(([cell, weight]) => [cell, Number(weight)] as const))),
};
