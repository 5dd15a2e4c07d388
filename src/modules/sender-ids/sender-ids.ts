import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { readSenderId, type SenderChannel } from './domain/sender-id.js';
import { extrasOf, type SmsOptions } from './domain/sms-options.js';
import { SenderIdEntity } from './persistence/sender-id.entity.js';
import { senderErrors } from './sender-ids.errors.js';

/** A sender id that may leave. */
export interface ApprovedSender {
  senderId: string;
  dltEntityId: string | null;
}

/** What sends may come from. Asked at acceptance: what was accepted leaves under the sender that it was accepted with. */
@Injectable()
export class SenderIds {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** @throws AppError invalid `sender_id is not approved` */
  async approved(accountId: number, channel: SenderChannel, given: unknown): Promise<ApprovedSender> {
    const senderId = readSenderId(given);
    if (senderId === null) throw senderErrors.notApproved();
    const where = { accountId, channel, senderId, status: 'approved' };
    const found = await this.dataSource.getRepository(SenderIdEntity).findOneBy(where);
    if (!found) throw senderErrors.notApproved();
    return { senderId, dltEntityId: found.dltEntityId };
  }

  /**
   * What a send of SMS leaves under, and its content with what goes along.
   * @throws AppError invalid `sender_id is not approved`
   */
  async termsOf<Content extends object>(
    accountId: number,
    content: Content,
    options: SmsOptions,
  ): Promise<{ senderId?: string; content: Content }> {
    const { senderId: given } = options;
    const approved = given === null ? null : await this.approved(accountId, 'sms', given);
    const extras = extrasOf(options, approved?.dltEntityId ?? null);
    return { ...(approved && { senderId: approved.senderId }), content: { ...content, ...extras } };
  }
}
