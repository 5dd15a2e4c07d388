import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type AppError, MOST_ROW_FAULTS, type RowFault } from '../../../kernel/errors.js';
import type { Variables } from '../../../kernel/message-template.js';
import type { AnswerWarning } from '../../../platform/http/index.js';
import { type Account, senderOf } from '../../accounts/index.js';
import {
  type Channel,
  type Content,
  isPersonalised,
  type Price,
  type RecipientSource,
  type SourcedRecipient,
  type Submission,
  Submissions,
} from '../../engine/index.js';
import { NumberCheck, type NumberFault, type NumberHome, readerOf } from '../../numbers/index.js';
import { type HeldRecipients, type ReadBy, RecipientLists } from '../../recipient-lists/index.js';
import { SenderIds } from '../../sender-ids/index.js';
import { personalisedErrors } from '../personalised/index.js';
import { smsChannel } from '../sms/index.js';
import {
  brandedChannel,
  SendableTemplates,
  templateChannel,
  type TemplateChannelName,
  templatePrice,
} from '../template-messages/index.js';
import { unofficialChannel } from '../unofficial-chat/index.js';
import type { BulkRequest } from './bulk-request.js';
import { type BulkChannelName, bulkErrors } from './bulk.errors.js';
import { type FaultOf, isSkipping, SkippedRecipients, type Skipping, skipsOf } from './skipped-recipients.js';
import { type JsonRecipients, readJsonRecipients, sourceOf } from './json-recipients.js';

type NumberRefusal = ReturnType<NonNullable<Submission['numberCheck']>>;
type RecipientFault = Parameters<NonNullable<Submission['refused']>>[0][number];

/** What is wrong with a number besides its form; null = nothing (reference/numbers#checks). */
function refusalOf(check: NumberCheck): (number: string) => NumberRefusal {
  return (number) => {
    const fault = check.check(number, check.checked + 1);
    return fault && { error: bulkErrors.number(fault.reason), ...knownOf(fault) };
  };
}

const knownOf = ({ country }: NumberFault): Pick<RowFault, 'country'> => (country === null ? {} : { country });

/** Numbers checked before other requests get the event loop. */
const NUMBERS_AT_ONCE = 5_000;

/** The recipients of a send, with only the variables that its text names. Reading them collects warnings. */
class BulkSource implements HeldRecipients {
  private readonly named: ReadonlySet<string>;

  /** @param warning null = the account wants no warnings @param field null = an upload or a list */
  constructor(
    private readonly all: HeldRecipients,
    private readonly names: readonly string[],
    private readonly warning: NumberCheck | null,
    private readonly field: string | null,
  ) {
    this.named = new Set(names);
  }

  get total(): number {
    return this.all.total;
  }

  /** Hints about the first hundred numbers outside every numbering plan. */
  get warnings(): AnswerWarning[] {
    return (this.warning?.faults ?? []).map((fault) => ({
      code: 'number_looks_wrong',
      ...(this.field === null ? { row: fault.row } : { field: this.field, index: fault.row - 1 }),
      value: fault.number,
      reason: fault.reason.replaceAll(' ', '_'),
      ...knownOf(fault),
      message: bulkErrors.number(fault.reason).message,
    }));
  }

  freeze(tx: EntityManager): Promise<void> {
    return this.all.freeze(tx);
  }

  get warned(): number {
    return this.warning?.invalid ?? 0;
  }

  /** Collects the warnings of recipients that are read elsewhere. */
  async check(): Promise<void> {
    for await (const some of this.all.read()) if (this.warning) await checkAll(this.warning, some);
  }

  async *read(refuse?: (fault: RowFault) => void): AsyncGenerator<readonly SourcedRecipient[], void, undefined> {
    for await (const some of this.all.read(refuse)) {
      if (this.warning) await checkAll(this.warning, some);
      yield some.map((recipient) => this.picked(recipient));
    }
  }

  /** Most recipients are returned unchanged, which saves an object each. */
  private picked(recipient: SourcedRecipient): SourcedRecipient {
    if (!recipient.variables || this.isPicked(recipient.variables)) return recipient;
    const { variables, ...rest } = recipient;
    const picked = pick(variables, this.names);
    return picked ? { ...rest, variables: picked } : rest;
  }

  private isPicked(variables: Variables): boolean {
    for (const name in variables) if (!this.named.has(name)) return false;
    return true;
  }
}

async function checkAll(check: NumberCheck, some: readonly SourcedRecipient[]): Promise<void> {
  for (const [index, { number, row }] of some.entries()) {
    check.check(number, row);
    if (index % NUMBERS_AT_ONCE === NUMBERS_AT_ONCE - 1) await yieldToOthers();
  }
}

function pick(variables: Variables, names: readonly string[]): Variables | null {
  const own = names.filter((name) => Object.hasOwn(variables, name));
  return own.length === 0 ? null : Object.fromEntries(own.map((name) => [name, variables[name] as string]));
}

/** One error for all recipients at fault: their common error, with each row listed. */
function refused(faults: readonly RecipientFault[]): AppError {
  return commonOf(faults).naming(faults.map(rowOf));
}

export const rowOf = ({ error: _, ...row }: RecipientFault): RowFault => row;

function commonOf(faults: readonly RecipientFault[]): AppError {
  if (faults.every(({ missing }) => missing)) return personalisedErrors.missing();
  const error = faults[0]?.error;
  if (!error || faults.some((fault) => fault.error?.code !== error.code)) return bulkErrors.refused();
  return error.code === bulkErrors.number.code ? bulkErrors.numbers() : error;
}

const CHANNELS: Readonly<Record<BulkChannelName, Channel>> = {
  sms: smsChannel,
  unofficial: unofficialChannel,
  template: templateChannel,
  branded: brandedChannel,
};

const DEFAULT_SERVICE = 'default';

/** A send with everything needed to price it. */
export interface OpenBulk {
  submission: Submission;
  source: BulkSource | null;
  /** rows that are left out; null = none was to be */
  skipped: Pick<SkippedRecipients, 'rows' | 'count'> | null;
  names: readonly string[];
  price: Price;
  /** runs in the transaction that accepts the send */
  freeze: (tx: EntityManager) => Promise<void>;
}

/** Makes a submission of a request: approved text, sender, recipients. */
@Injectable()
export class BulkSends {
  constructor(
    private readonly sendable: SendableTemplates,
    private readonly senders: SenderIds,
    private readonly lists: RecipientLists,
    private readonly submissions: Submissions,
  ) {}

  channelOf({ channel }: Pick<BulkRequest, 'channel'>): Channel {
    return CHANNELS[channel];
  }

  /** The validated recipients of a body; null when they are in an upload or a list. */
  async inBody(
    account: NumberHome,
    { channel, recipients }: BulkRequest,
    mostFaults = MOST_ROW_FAULTS,
  ): Promise<JsonRecipients | null> {
    if (!('entries' in recipients)) return null;
    const { field, entries } = recipients;
    return readJsonRecipients(field, entries, readerOf(account, CHANNELS[channel]), mostFaults);
  }

  /** @throws AppError faults of the template, the sender id, the length of the shared text, the upload or the list */
  async open(account: Account, request: BulkRequest, inBody: JsonRecipients | null, by: ReadBy): Promise<OpenBulk> {
    const { said, price, check, terms } = await this.termsOf(account, request);
    const { channel } = terms;
    const open = { names: said.names, price, skipped: null };
    const { skipping } = request;
    if (inBody && !isPersonalised(said.content) && check?.mode !== 'refuse' && !isSkipping(skipping)) {
      const source = check && new BulkSource(unheld(sourceOf(inBody)), said.names, check, inBody.field);
      await source?.check();
      const submission = { ...terms, recipients: inBody.numbers };
      return { ...open, submission, source, freeze: () => Promise.resolve() };
    }
    const held = inBody ? unheld(sourceOf(inBody)) : await this.held(account.id, request, channel, by);
    const skipped = isSkipping(skipping) ? await this.skipped(terms, held, said.names, { inBody, skipping }) : null;
    if (skipped?.total === 0 && by === 'hold') throw bulkErrors.refused().naming(skipped.rows);
    const warning = check?.mode === 'warn' ? check : null;
    const source = new BulkSource(skipped ?? held, said.names, warning, inBody?.field ?? null);
    return { ...open, skipped, submission: { ...terms, source }, source, freeze: (tx) => held.freeze(tx) };
  }

  private async skipped(
    terms: Parameters<Submissions['refusalsOf']>[0],
    held: HeldRecipients,
    names: readonly string[],
    { inBody, skipping }: { inBody: JsonRecipients | null; skipping: Skipping },
  ): Promise<SkippedRecipients> {
    const faultOf = await this.faultsOf(terms);
    const unread = skipping.skipInvalid && inBody ? inBody : { faults: [], invalid: 0 };
    const before = { rows: unread.faults, count: unread.invalid };
    const picked = new BulkSource(held, names, null, null);
    return SkippedRecipients.of(picked, skipping, faultOf, before);
  }

  /** Rows that a send leaves out, all of them, part by part. @throws AppError as `open`, before the first part */
  async skips(account: Account, request: BulkRequest): Promise<AsyncGenerator<readonly RowFault[], void, undefined>> {
    const { skipping } = request;
    const inBody = await this.inBody(account, request, Infinity);
    const { said, terms } = await this.termsOf(account, request);
    const held = inBody ? unheld(sourceOf(inBody)) : await this.held(account.id, request, terms.channel, 'peek');
    const faultOf = await this.faultsOf(terms);
    const unread = skipping.skipInvalid ? (inBody?.faults ?? []) : [];
    const picked = new BulkSource(held, said.names, null, null);
    return (async function* () {
      if (unread.length > 0) yield unread;
      for await (const skips of skipsOf(picked, skipping, faultOf)) yield skips.map(({ fault }) => fault);
    })();
  }

  private async termsOf(account: Account, request: BulkRequest) {
    const channel = CHANNELS[request.channel];
    const said = await this.saidBy(account.id, request);
    const price = said.price ?? channel.price?.(said.content);
    if (!price) throw new Error(`no price for a send of the channel ${channel.name}`);
    const check = NumberCheck.begin(account);
    const terms = {
      channel,
      sender: senderOf(account),
      broadcastName: request.broadcastName,
      service: request.route ?? DEFAULT_SERVICE,
      category: request.category,
      ...(said.senderId !== undefined && { senderId: said.senderId }),
      content: said.content,
      ...(said.price && { price }),
      ...(check?.mode === 'refuse' && { numberCheck: refusalOf(check) }),
      refused,
    };
    return { said, price, check, terms };
  }

  private async faultsOf(terms: Parameters<Submissions['refusalsOf']>[0]): Promise<FaultOf> {
    const refusalOf = await this.submissions.refusalsOf(terms);
    return (recipient) => {
      const refusal = refusalOf(recipient);
      return refusal && rowOf(refusal);
    };
  }

  private async saidBy(accountId: number, { content: said }: BulkRequest): Promise<Said> {
    if (said.kind === 'template') {
      const { template, content, names } = await this.sendable.personalised(accountId, said.reference, said.flatten);
      return { content, names, price: templatePrice(template) };
    }
    const approved = said.options ? await this.senders.termsOf(accountId, said.content, said.options) : said;
    return { ...approved, names: said.names };
  }

  private async held(
    accountId: number,
    { recipients }: BulkRequest,
    channel: Channel,
    by: ReadBy,
  ): Promise<HeldRecipients> {
    if ('entries' in recipients) throw new Error('recipients of a body are not held');
    const { field, id } = recipients;
    return this.lists.sourceOf(accountId, field === 'upload_id' ? { uploadId: id } : { listId: id }, channel, by);
  }
}

interface Said {
  content: Content;
  senderId?: string;
  names: readonly string[];
  price?: Price;
}

const unheld = (source: RecipientSource): HeldRecipients => ({
  total: source.total,
  read: () => source.read(),
  freeze: () => Promise.resolve(),
});

export const isOfTemplates = (name: BulkChannelName): name is TemplateChannelName =>
  name === 'template' || name === 'branded';

/** @throws AppError invalid `Some recipients are invalid` */
export function assertValid(inBody: JsonRecipients | null, { skipInvalid }: Skipping): void {
  if (inBody && inBody.invalid > 0 && !(skipInvalid && inBody.numbers.length > 0))
    throw bulkErrors.rows().naming(inBody.faults);
}
