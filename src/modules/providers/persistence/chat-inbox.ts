import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import type { ChatAccount } from '../chat-account.js';
import type { InboundMessage } from '../drivers/meta-cloud/callbacks.js';
import { ChatWindows } from './chat-windows.js';

const COLUMNS = ['route_id', 'account_id', 'message_id', 'contact', 'type', 'message', 'sent_at', 'received_at'];

/** What contacts write to chat accounts: stored once each, however often the upstream repeats it. */
@Injectable()
export class ChatInbox {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly windows: ChatWindows,
  ) {}

  /** Stores the messages and opens their senders' windows, in one transaction. */
  async take(account: ChatAccount, messages: readonly InboundMessage[], receivedAt: Date): Promise<void> {
    if (messages.length === 0) return;
    const row = `(${COLUMNS.map(() => '?').join(', ')})`;
    const values = messages.flatMap(({ messageId, contact, type, message, sentAt }) => [
      account.id,
      account.accountId,
      messageId,
      contact,
      type,
      JSON.stringify(message),
      sentAt,
      receivedAt,
    ]);
    await inTransaction(this.dataSource, async (tx) => {
      await tx.query(
        `INSERT INTO chat_inbound_messages (${COLUMNS.join(', ')}) VALUES ${messages.map(() => row).join(', ')}
         ON DUPLICATE KEY UPDATE message_id = chat_inbound_messages.message_id`,
        values,
      );
      await this.windows.open(tx, account.id, messages);
    });
  }
}
