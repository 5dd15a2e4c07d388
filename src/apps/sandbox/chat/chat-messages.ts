import { Injectable } from '@nestjs/common';
import { isUserId } from '../../../kernel/chat-user-id.js';
import { isObject, type JsonObject } from '../../../kernel/objects.js';
import { CarrierLedger, type LedgerEntry } from '../carrier/carrier-ledger.js';
import { type Fate, fateOf, OnceBook } from '../carrier/fates.js';
import { Faults } from '../carrier/faults.js';
import { messageId, MessageIds } from '../carrier/message-ids.js';
import { ChatAccountBook } from './chat-accounts.js';
import { ChatInbound } from './chat-inbound.js';
import { GraphCode, GraphError } from './graph-error.js';
import { type GraphAnswer, ok } from './graph-request.js';
import { type ReadMessage, readMessage } from './message-rules.js';
import { type ChatFailure, type ChatStep, StatusFeed } from './status-feed.js';

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

/** The messages endpoint: takes messages of every type; fates by the recipient's last three digits. */
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

  /** Forgets who was turned away and which statuses wait. */
  clear(): void {
    this.once.clear();
    this.feed.clear();
    this.inbound.clear();
  }

  /** @throws GraphError */
  async send(phoneNumberId: string, request: JsonObject): Promise<GraphAnswer> {
    if (request['status'] === 'read' && (request['to'] ?? request['recipient']) === undefined)
      return ok({ success: true });
    const message = readMessage(request);
    const fate = fateOf(message.to);
    this.turnAway(phoneNumberId, message, fate);
    const entry = this.ledger.add(this.entryOf(phoneNumberId, message, request));
    if (fate === 'refused') {
      entry.status = 'FAILED';
      const code = GraphCode.NotInAllowedList;
      const details = 'Recipient phone number not in allowed list.';
      throw new GraphError(400, code, `(#${code}) Recipient phone number not in allowed list`, details);
    }
    const account = this.accounts.byPhoneNumberId(phoneNumberId);
    if (account && fate !== 'silent') await this.feed.begin(account, { entry, ...this.life(entry, message, fate) });
    return ok({
      messaging_product: 'whatsapp',
      contacts: [contactOf(request, message)],
      messages: [{ id: entry.id, ...(message.type === 'template' && { message_status: 'accepted' }) }],
    });
  }

  /** @throws GraphError for what is not taken at this try */
  private turnAway(phoneNumberId: string, message: ReadMessage, fate: Fate): void {
    const key = `${phoneNumberId} ${message.to}`;
    if (this.faults.current.throttleAll || (fate === 'throttled once' && this.once.turnAway(key))) {
      this.ledger.refusals.throttled += 1;
      const code = GraphCode.RateLimit;
      throw new GraphError(429, code, `(#${code}) Rate limit hit`, 'Cloud API message throughput has been reached.');
    }
    if (fate === 'error once' && this.once.turnAway(key)) {
      this.ledger.refusals.errors += 1;
      const code = GraphCode.SomethingWentWrong;
      throw new GraphError(500, code, `(#${code}) Something went wrong`, 'Message failed to send. Try again later.');
    }
  }

  private life(
    { account }: LedgerEntry,
    { to, type }: ReadMessage,
    fate: Fate,
  ): { steps: ChatStep[]; failure: ChatFailure | null } {
    const { enforceWindows, readReceipts } = this.faults.current;
    if (enforceWindows && type !== 'template' && !this.inbound.isOpen(account, to)) {
      return { steps: ['failed'], failure: WINDOW_CLOSED };
    }
    if (fate === 'undeliverable') return { steps: ['sent', 'failed'], failure: UNDELIVERABLE };
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
