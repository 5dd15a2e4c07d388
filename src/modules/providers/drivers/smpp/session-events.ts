import type { InboundText } from '../../ports/inbound-sink.js';
import type { Receipt } from '../../ports/message-driver.js';

/** What a session tells its connection. */
export interface SessionEvents {
  bound(): void;
  /** the end, once; everything under way has its result by then */
  closed(reason: string): void;
  receipts(receipts: Receipt[]): Promise<void>;
  /** a message from a handset; answered to the carrier afterwards */
  inbound(text: InboundText): Promise<void>;
}
