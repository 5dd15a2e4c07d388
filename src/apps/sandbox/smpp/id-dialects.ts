import type { FaultSettings } from '../carrier/faults.js';

/** One id as a carrier writes it. */
export interface SpelledId {
  /** in the answer to the submit */
  answer: string;
  /** in the receipt */
  receipt: string;
}

const hexOf = (number: bigint): string => number.toString(16);
const uuidOf = (number: bigint): string => {
  const digits = hexOf(number).padStart(12, '0');
  return `8b3c2f64-7f0e-4d7e-9d5f-${digits.slice(-12)}`;
};

const DIALECTS: Readonly<Record<FaultSettings['idDialect'], (number: bigint) => SpelledId>> = {
  none: (number) => ({ answer: String(number), receipt: String(number) }),
  'padded hex': (number) => ({ answer: hexOf(number).padStart(16, '0'), receipt: String(number) }),
  padded: (number) => ({ answer: `0${number}`, receipt: String(number) }),
  stripped: (number) => ({ answer: String(number), receipt: `0${number}` }),
  '0x': (number) => ({ answer: `0x${hexOf(number)}`, receipt: String(number) }),
  uuid: (number) => ({ answer: uuidOf(number).toUpperCase(), receipt: uuidOf(number) }),
};

/** The id of a message in the dialect that is spoken now. */
export function spelled(id: number | bigint, { idDialect, hexIds }: FaultSettings): SpelledId {
  const number = BigInt(id);
  if (idDialect === 'none' && hexIds) return { answer: hexOf(number).toUpperCase(), receipt: String(number) };
  return DIALECTS[idDialect](number);
}
