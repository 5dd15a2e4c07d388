import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { readSenderId, type SenderChannel } from './domain/sender-id.js';
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
}
