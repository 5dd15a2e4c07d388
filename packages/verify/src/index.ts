import { checkBundle } from './bundle.js';
import { checkDay, type DayPlace } from './day.js';
import { Problem } from './encoding.js';
import { checkProof, type RecipientProof } from './proof.js';
import { checkChain, checkSignature, type Options, type SignedSettlement, type Statement } from './settlement.js';

export type { DayPlace } from './day.js';
export type { RecipientProof } from './proof.js';
export type { Options, PublishedKey, SignedSettlement, Statement, Totals } from './settlement.js';

/** The outcome of a check; `problem` says in one sentence what is wrong. */
export type Verdict = { ok: true; statement: Statement | null } | { ok: false; problem: string };

async function verdictOf(check: () => Promise<Statement | null>): Promise<Verdict> {
  try {
    return { ok: true, statement: await check() };
  } catch (error) {
    if (error instanceof Problem) return { ok: false, problem: error.message };
    // A value of another type than documented.
    if (error instanceof TypeError) return { ok: false, problem: 'The file is not in the documented form.' };
    throw error;
  }
}

/** Checks a bundle: signature, ledger entries, recipients, totals. @param lines without their ends */
export const verifyBundle = (lines: AsyncIterable<string>, options: Options = {}): Promise<Verdict> =>
  verdictOf(() => checkBundle(lines, options));

/** Checks the signature of a settlement without its rows. */
export const verifySettlement = (settlement: SignedSettlement, options: Options = {}): Promise<Verdict> =>
  verdictOf(async () => {
    await checkSignature(settlement, options);
    return settlement.statement;
  });

/** Checks one recipient of a settlement. */
export const verifyProof = (proof: RecipientProof, options: Options = {}): Promise<Verdict> =>
  verdictOf(async () => {
    await checkProof(proof, options);
    return proof.statement;
  });

/** Checks that a settlement is one of a signed day of the house. */
export const verifyDay = (place: DayPlace, settlement: SignedSettlement, options: Options = {}): Promise<Verdict> =>
  verdictOf(async () => {
    await checkDay(place, settlement, options);
    return settlement.statement;
  });

/** Checks that settlements of one account follow each other without a gap. */
export const verifyChain = (settlements: readonly SignedSettlement[], options: Options = {}): Promise<Verdict> =>
  verdictOf(async () => {
    await checkChain(settlements, options);
    return null;
  });

/** Lines of a text that arrives in pieces, such as `file.stream()` or a response. */
export async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
