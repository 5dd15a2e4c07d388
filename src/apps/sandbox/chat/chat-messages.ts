import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { isUserId, messageOutcomeOf, type MessageOutcome } from '../../../kernel/contacts.js';
import { isObject, type JsonObject } from '../../../kernel/json-values.js';
import {
  CarrierLedger,
  DueQueue,
  type LedgerEntry,
  type LedgerStatus,
  messageId,
  MessageIds,
} from '../carrier-ledger.js';
import { Faults, OnceBook } from '../faults.js';
import { CallbackSender } from '../http-exchange.js';
import { ChatAccountBook, ChatInbound, messagesChange, type SandboxChatAccount } from './chat-accounts.js';
import { type GraphAnswer, GraphCode, GraphError, ok } from './graph-request.js';
import { readMessage, type ReadMessage } from './message-rules.js';

type ChatStep = 'sent' | 'delivered' | 'read' | 'failed';

interface ChatFailure {
  code: number;
  title: string;
  details: string;
}

export interface StatusLife {
  entry: LedgerEntry;
  steps: ChatStep[];
  failure: ChatFailure | null;
  /** a template; its price is not known here */
  isTemplate: boolean;
}

interface DueStatus extends StatusLife {
  dueAt: number;
  posted?: () => void;
}

interface Line {
  account: SandboxChatAccount;
  waiting: DueQueue<DueStatus>;
  underWay: number;
}

const TICK_MS = 10;
const STATUSES_A_CALLBACK = 200;
const CALLBACKS_AT_ONCE = 4;
const LEDGER_WORD: Record<ChatStep, LedgerStatus> = {
  sent: 'ACCEPTED',
  delivered: 'DELIVERED',
  read: 'READ',
  failed: 'FAILED',
};

/** Posts statuses to the accounts' callbacks: signed, many in one call, a few calls at once. */
@Injectable()
export class StatusFeed implements OnApplicationShutdown {
  private readonly lines = new Map<string, Line>();
  private readonly timer = setInterval(() => this.flush(), TICK_MS);

  constructor(
    private readonly faults: Faults,
    private readonly accounts: ChatAccountBook,
    private readonly callbacks: CallbackSender,
  ) {}

  /** Queues the statuses of a message; with `receiptsFirst` resolves once the first one is posted. */
  async begin(account: SandboxChatAccount, life: StatusLife): Promise<void> {
    const { receiptsFirst, receiptDelayMs } = this.faults.current;
    if (!receiptsFirst) return this.line(account).waiting.push({ ...life, dueAt: performance.now() + receiptDelayMs });
    await new Promise<void>((resolve) =>
      this.line(account).waiting.push({ ...life, dueAt: performance.now(), posted: resolve }),
    );
  }

  clear(): void {
    for (const line of this.lines.values()) line.waiting.clear();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private line(account: SandboxChatAccount): Line {
    const known = this.lines.get(account.phone_number_id);
    if (known) {
      known.account = account;
      return known;
    }
    const line: Line = { account, waiting: new DueQueue(), underWay: 0 };
    this.lines.set(account.phone_number_id, line);
    return line;
  }

  private flush(): void {
    if (this.faults.current.holdReceipts) return;
    for (const line of this.lines.values()) {
      while (line.underWay < CALLBACKS_AT_ONCE) {
        const batch = this.takeBatch(line);
        if (batch.length === 0) break;
        void this.post(line, batch);
      }
    }
  }

  private takeBatch(line: Line): DueStatus[] {
    const now = performance.now();
    const batch: DueStatus[] = [];
    while (batch.length < STATUSES_A_CALLBACK) {
      const due = line.waiting.take(now);
      if (!due) break;
      batch.push(due);
    }
    return batch;
  }

  private async post(line: Line, batch: DueStatus[]): Promise<void> {
    line.underWay += 1;
    const nextAt = performance.now() + this.faults.current.receiptDelayMs;
    const timestamp = String(Math.floor(Date.now() / 1000));
    const statuses = batch.map((due) => {
      const { entry, steps, failure, isTemplate } = due;
      const [step = 'sent', ...rest] = steps;
      entry.status = LEDGER_WORD[step];
      if (rest.length > 0) line.waiting.push({ entry, steps: rest, failure, isTemplate, dueAt: nextAt });
      return statusOf(due, step, timestamp);
    });
    const { body, headers } = this.accounts.signed(line.account, [messagesChange(line.account, { statuses })]);
    await this.callbacks.post(line.account.callback_url, body, headers);
    line.underWay -= 1;
    for (const due of batch) due.posted?.();
  }
}

const FREE_REPLY = { billable: false, pricing_model: 'PMP', type: 'free_customer_service', category: 'service' };

function statusOf(
  { entry, failure, isTemplate }: StatusLife,
  step: ChatStep,
  timestamp: string,
): Record<string, unknown> {
  return {
    id: entry.id,
    status: step,
    timestamp,
    ...(isUserId(entry.to) ? { recipient_user_id: entry.to } : { recipient_id: entry.to }),
    ...(entry.ref !== null && { biz_opaque_callback_data: entry.ref }),
    ...(step === 'sent' && !isTemplate && { pricing: FREE_REPLY }),
    ...(step === 'failed' &&
      failure && {
        errors: [
          {
            code: failure.code,
            title: failure.title,
            message: failure.title,
            error_data: { details: failure.details },
            href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
          },
        ],
      }),
  };
}

const UNDELIVERABLE: ChatFailure = {
  code: GraphCode.Undeliverable,
  title: 'Message undeliverable',
  details: 'Message Undeliverable.',
};
const WINDOW_CLOSED: ChatFailure = {
  code: GraphCode.WindowClosed,
  title: 'Re-engagement message',
  details: 'More than 24 hours have passed since the recipient last replied to the sender number.',
};

/** The messages endpoint: accepts every type; outcomes by the recipient's last three digits. */
@Injectable()
export class ChatMessages {
  private readonly once = new OnceBook();
  private readonly ids = new MessageIds();

  constructor(
    private readonly ledger: CarrierLedger,
    private readonly faults: Faults,
    private readonly accounts: ChatAccountBook,
    private readonly inbound: ChatInbound,
    private readonly feed: StatusFeed,
  ) {}

  clear(): void {
    this.once.clear();
    this.feed.clear();
    this.inbound.clear();
  }

  async send(phoneNumberId: string, request: JsonObject): Promise<GraphAnswer> {
    if (request['status'] === 'read' && (request['to'] ?? request['recipient']) === undefined)
      return ok({ success: true });
    const message = readMessage(request);
    const outcome = messageOutcomeOf(message.to);
    this.refuse(phoneNumberId, message, outcome);
    const entry = this.ledger.add(this.entryOf(phoneNumberId, message, request));
    if (outcome === 'refused') {
      entry.status = 'FAILED';
      const code = GraphCode.NotInAllowedList;
      const details = 'Recipient phone number not in allowed list.';
      throw new GraphError(400, code, `(#${code}) Recipient phone number not in allowed list`, details);
    }
    const account = this.accounts.byPhoneNumberId(phoneNumberId);
    if (account && outcome !== 'silent')
      await this.feed.begin(account, {
        entry,
        isTemplate: message.type === 'template',
        ...this.life(entry, message, outcome),
      });
    return ok({
      messaging_product: 'whatsapp',
      contacts: [contactOf(request, message)],
      messages: [{ id: entry.id, ...(message.type === 'template' && { message_status: 'accepted' }) }],
    });
  }

  private refuse(phoneNumberId: string, message: ReadMessage, outcome: MessageOutcome): void {
    const key = `${phoneNumberId} ${message.to}`;
    if (this.faults.current.throttleAll || (outcome === 'throttled once' && this.once.refuse(key))) {
      this.ledger.refusals.throttled += 1;
      const code = GraphCode.RateLimit;
      throw new GraphError(429, code, `(#${code}) Rate limit hit`, 'Cloud API message throughput has been reached.');
    }
    if (outcome === 'error once' && this.once.refuse(key)) {
      this.ledger.refusals.errors += 1;
      const code = GraphCode.SomethingWentWrong;
      throw new GraphError(500, code, `(#${code}) Something went wrong`, 'Message failed to send. Try again later.');
    }
  }

  private life(
    { account }: LedgerEntry,
    { to, type }: ReadMessage,
    outcome: MessageOutcome,
  ): { steps: ChatStep[]; failure: ChatFailure | null } {
    const { enforceWindows, readReceipts } = this.faults.current;
    if (enforceWindows && type !== 'template' && !this.inbound.isOpen(account, to)) {
      return { steps: ['failed'], failure: WINDOW_CLOSED };
    }
    if (outcome === 'undeliverable') return { steps: ['sent', 'failed'], failure: UNDELIVERABLE };
    return { steps: readReceipts ? ['sent', 'delivered', 'read'] : ['sent', 'delivered'], failure: null };
  }

  private entryOf(phoneNumberId: string, { to, content, ref }: ReadMessage, request: JsonObject): LedgerEntry {
    const field = (name: string): string | null => {
      const value = isObject(content) ? content[name] : undefined;
      return typeof value === 'string' ? value : null;
    };
    return {
      id: messageId(to, this.ids.next()),
      protocol: 'chat',
      account: phoneNumberId,
      from: phoneNumberId,
      to,
      text: field('body') ?? field('caption') ?? '',
      mediaUrl: field('link'),
      parts: 1,
      ref,
      request,
      status: 'ACCEPTED',
      at: Date.now(),
    };
  }
}

const contactOf = ({ to }: JsonObject, message: ReadMessage): JsonObject =>
  isUserId(message.to) ? { input: message.to, user_id: message.to } : { input: String(to), wa_id: message.to };
