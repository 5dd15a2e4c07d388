import { bytesOfHex, fail, hexOf, leafHash, rootByPath } from './encoding.js';
import { checkSignature, checkSigned, type Options, type Signed, type SignedSettlement } from './settlement.js';

/** As the API answers: `GET /v6/api/campaigns/{request_id}/settlement/day`. */
export interface DayPlace extends Signed {
  statement: {
    format: string;
    type: string;
    day: string;
    number: number;
    previous: string | null;
    restored_at: string | null;
    settlements: { count: number; root: string };
    audit: { after: number; last: number; count: number; root: string };
    key: string;
  };
  leaf: string;
  index: number;
  path: string[];
}

/** Checks that a settlement is one of a signed day of the house. @throws Problem */
export async function checkDay(place: DayPlace, settlement: SignedSettlement, options: Options): Promise<void> {
  await checkSignature(settlement, options);
  if (place.statement.type !== 'day') fail('The statement is not one of a day.');
  await checkSigned(place, options);
  if (place.leaf !== settlement.digest) fail('The place in the day is the one of another settlement.');
  const { count, root } = place.statement.settlements;
  const siblings = place.path.map((text) => bytesOfHex(text) ?? fail('The path is not hexadecimal.'));
  const found = rootByPath(leafHash(place.leaf), place.index, count, siblings);
  if (!found || hexOf(found) !== root) fail(`The settlement is not part of the day ${place.statement.day}.`);
}
