import { canonical, fail, hexOf, type Json, leafHash, parsed, TreeHead } from './encoding.js';
import { checkSignature, type Options, type SignedSettlement, type Statement } from './settlement.js';

const FORMAT = 'switchboard-settlement-bundle/1';
const NAMES = ['bundle', 'digest', 'public_key', 'signature', 'statement'];

type Lines = AsyncIterator<string>;

/** Checks a bundle line by line, in constant memory. @throws Problem */
export async function checkBundle(lines: AsyncIterable<string>, options: Options): Promise<Statement> {
  const reading = lines[Symbol.asyncIterator]();
  const settlement = headerOf(await next(reading));
  await checkSignature(settlement, options);
  const { statement } = settlement;
  await checkEntries(reading, statement);
  await checkRecipients(reading, statement);
  if ((await next(reading)) !== null) fail('The bundle goes on behind the last recipient of the settlement.');
  return statement;
}

const next = async (lines: Lines): Promise<string | null> => {
  const read = await lines.next();
  return read.done === true ? null : read.value;
};

function headerOf(line: string | null): SignedSettlement {
  const header = line === null ? undefined : parsed(line);
  if (typeof header !== 'object' || header === null || Array.isArray(header)) fail('The file is no bundle.');
  if (header['bundle'] !== FORMAT) fail(`The format of the bundle is not ${FORMAT}.`);
  if (Object.keys(header).sort().join() !== NAMES.join() || canonical(header) !== line)
    fail('The first line of the bundle is not as the house writes it.');
  return header as unknown as SignedSettlement;
}

/** A line's array of one form, in the one spelling that JSON has for it. */
function rowOf(line: string | null, types: readonly string[], what: string): Json[] {
  if (line === null) fail(`The bundle ends before its last ${what}.`);
  const row = parsed(line);
  const isRow =
    Array.isArray(row) &&
    row.length === types.length &&
    row.every((value, at) => types[at]?.split(' ').includes(value === null ? 'null' : typeof value));
  if (!isRow || JSON.stringify(row) !== line) fail(`A line is no ${what}: ${line.slice(0, 80)}`);
  return row;
}

const ENTRY = ['number', 'string', 'string', 'number', 'number', 'number'];

async function checkEntries(lines: Lines, { entries, totals, balance }: Statement): Promise<void> {
  const tree = new TreeHead();
  const sums = { debit: 0, refund: 0 };
  for (let count = 0; count < entries.count; count++) {
    const line = await next(lines);
    const [, kind, of, amount] = rowOf(line, ENTRY, 'ledger entry');
    tree.append(leafHash(line as string));
    if (kind !== 'debit' && kind !== 'refund') fail(`A ledger entry is neither a debit nor a refund: ${line}`);
    if (of !== balance) fail(`A ledger entry is not of the balance ${balance}: ${line}`);
    sums[kind] += amount as number;
  }
  if (hexOf(tree.root) !== entries.root)
    fail('The ledger entries are not those that were signed: one was changed, added, removed or moved.');
  if (-sums.debit !== totals.charged)
    fail(`The ledger charged ${-sums.debit} credits, but the settlement says ${totals.charged}.`);
  if (sums.refund !== totals.refunded)
    fail(`The ledger refunded ${sums.refund} credits, but the settlement says ${totals.refunded}.`);
}

const RECIPIENT = [
  ...['string', 'number', 'string', 'string null', 'number', 'number', 'number', 'string', 'number', 'number'],
];

async function checkRecipients(lines: Lines, { root, totals }: Statement): Promise<void> {
  const tree = new TreeHead();
  const sums = { parts: 0, charged: 0, refunded: 0 };
  const statuses: Record<string, number> = {};
  for (let count = 0; count < totals.recipients; count++) {
    const line = await next(lines);
    const [, seq, status, , parts, price, refund] = rowOf(line, RECIPIENT, 'recipient') as [
      ...[string, number, string, string | null, number, number, number],
      ...Json[],
    ];
    tree.append(leafHash(line as string));
    if (seq !== count + 1) fail(`Recipient ${count + 1} is missing, or in another place.`);
    statuses[status] = (statuses[status] ?? 0) + 1;
    sums.parts += parts;
    sums.charged += price;
    sums.refunded += refund;
  }
  if (hexOf(tree.root) !== root)
    fail('The recipients are not those that were signed: one was changed, added, removed or moved.');
  const said = { parts: totals.parts, charged: totals.charged, refunded: totals.refunded };
  for (const name of ['parts', 'charged', 'refunded'] as const)
    if (sums[name] !== said[name])
      fail(`The recipients sum up to ${sums[name]} ${name}, the settlement says ${said[name]}.`);
  if (canonical(statuses) !== canonical(totals.statuses))
    fail('The statuses of the recipients are not those of the totals.');
  if (totals.net !== totals.charged - totals.refunded)
    fail('The net total is not what was charged less what was refunded.');
}
