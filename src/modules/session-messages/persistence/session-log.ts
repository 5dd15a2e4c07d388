import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import { OwnLog, sendEntry } from '../../accounts/index.js';
import { SessionMessageEntity } from './session-message.entity.js';

/** Session messages as entries of the log of their account. */
@Injectable()
export class SessionLog {
  constructor(@InjectDataSource() dataSource: DataSource, log: OwnLog) {
    log.register({
      name: 'session',
      kind: 'send',
      table: 'session_messages',
      index: 'ix_session_messages_account',
      column: 'account_id',
      entries: async (ids, reader) => {
        const rows = await dataSource.getRepository(SessionMessageEntity).findBy({ id: In(ids) });
        return new Map(
          rows.map(({ id, receiver, createdBy, createdAt }) => {
            const what = { action: 'session_message.send', subject: String(id), details: { to: receiver } };
            return [id, sendEntry({ id: `session-${id}`, ...what, createdBy, createdAt }, reader)];
          }),
        );
      },
    });
  }
}
