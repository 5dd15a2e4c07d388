import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { firstIdAt } from '../../../kernel/ids.js';
import { normalIpRange } from '../../../platform/security/index.js';
import { type Account, loginOf } from '../domain/account.js';
import { AccountNotices } from '../../notices/index.js';
import { type Client, deviceOf } from './device.js';

const KNOWN_MS = 30 * 86_400_000;

/** The network that a login comes from: a /24 of IPv4, a /48 of IPv6; another text itself. */
const networkOf = (ip: string): string => normalIpRange(`${ip}/${ip.includes(':') ? 48 : 24}`) ?? ip;

/** Tells a login that it was used from a network that none of its sessions of the last 30 days came from. */
@Injectable()
export class NetworkNotices {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly notices: AccountNotices,
  ) {}

  /** Call before the session begins. False for a first login, which has nothing to differ from. */
  async isNew(account: Account, { ip }: Client): Promise<boolean> {
    const since = firstIdAt(new Date(now().getTime() - KNOWN_MS));
    const rows = await this.dataSource.query<{ address: string }[]>(
      `SELECT DISTINCT address FROM login_sessions FORCE INDEX (ix_login_sessions_holder)
       WHERE holder_id = ? AND id >= ? LIMIT 1001`,
      [loginOf(account).id, since],
    );
    const network = networkOf(ip);
    return rows.length > 0 && !rows.some(({ address }) => networkOf(address) === network);
  }

  notify(account: Account, client: Client): Promise<void> {
    const facts = { address: client.ip, device: deviceOf(client.userAgent) };
    return this.notices.notify(account, { type: 'login.new_network', ...facts });
  }
}
