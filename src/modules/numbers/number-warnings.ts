import { setImmediate as turn } from 'node:timers/promises';
import type { AnswerWarning } from '../../platform/http/index.js';
import { NumberCheck, type NumberCheckWish } from './number-check.js';

/** Numbers that are looked up before others have their turn. */
const NUMBERS_A_TURN = 250;

/**
 * The hint about numbers that no numbering plan has, for accounts that have their numbers checked. Endpoints whose rule for
 * numbers is specified take such numbers all the same.
 * @param field of the request that holds the numbers
 * @param numbers as they are sent to: digits
 */
export async function numberWarnings(
  account: NumberCheckWish,
  field: string,
  numbers: readonly string[],
): Promise<AnswerWarning[]> {
  const check = NumberCheck.begin(account);
  if (!check) return [];
  for (const [place, number] of numbers.entries()) {
    if (place % NUMBERS_A_TURN === NUMBERS_A_TURN - 1) await turn();
    check.look(number, place + 1);
  }
  if (check.invalid === 0) return [];
  const message = `No numbering plan has ${check.invalid} of the numbers: they are sent to all the same`;
  return [{ code: 'numbers_look_wrong', field, count: check.invalid, message }];
}
