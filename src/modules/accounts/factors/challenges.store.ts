import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import { inTransaction, type WriteResult } from '../../../platform/database/index.js';
import { LoginChallengeEntity } from './tables.js';

const GOOD_MS = 5 * 60_000;
const BYTES = 32;

/** What a challenge is for; a signature for one does not serve another. */
export interface ChallengePurpose {
  holderId: number;
  purpose: 'login' | 'enrol' | 'confirm';
  /** 0 = a login */
  sessionId: number;
}

/** Stores challenges for passkeys: good once, for 5 minutes, for one login, session and purpose. */
@Injectable()
export class Challenges {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Makes a challenge, in base64url. */
  async make(purpose: ChallengePurpose): Promise<string> {
    const challenge = randomBytes(BYTES).toString('base64url');
    await inTransaction(this.dataSource, (tx) =>
      tx.insert(LoginChallengeEntity, {
        ...{ ...purpose, id: newId(), digest: digestOf(challenge) },
        ...{ expiresAt: new Date(now().getTime() + GOOD_MS), usedAt: null },
      }),
    );
    return challenge;
  }

  /** Uses a challenge up. Returns false for one that is used, over, or for something else. */
  async take(challenge: string, { holderId, purpose, sessionId }: ChallengePurpose): Promise<boolean> {
    const { affectedRows } = await this.dataSource.query<WriteResult>(
      `UPDATE login_challenges SET used_at = UTC_TIMESTAMP(3)
       WHERE digest = ? AND holder_id = ? AND purpose = ? AND session_id = ? AND used_at IS NULL
         AND expires_at > UTC_TIMESTAMP(3)`,
      [digestOf(challenge), holderId, purpose, sessionId],
    );
    return affectedRows === 1;
  }
}

const digestOf = (challenge: string): Buffer => createHash('sha256').update(challenge).digest();
