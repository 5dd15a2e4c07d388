import { Injectable } from '@nestjs/common';
import type { AppError } from '../../../kernel/app-error.js';
import { OutboundClient } from '../../../platform/outbound/index.js';
import type { Account } from '../../accounts/index.js';

/** Staff wait so long for the name of a host; what is not known by then is judged at each connection. */
const NAME_PATIENCE_MS = 2_000;

/** What staff are about to save. */
interface WrittenAddress {
  /** what holds for the address that stands */
  current: boolean;
  /** nothing of it is written anew */
  isKept: boolean;
  hosts: readonly string[];
}

/**
 * Who wrote an address decides whether it may lead to private networks: super may, other staff only where `ROUTE_NETWORKS`
 * opens them (reference/providers#addresses-of-routes).
 */
@Injectable()
export class GuardedAddresses {
  constructor(private readonly outbound: OutboundClient) {}

  /**
   * Whether the guard holds for it from now on.
   * @throws AppError that `refuse` makes, for a host that the guard would refuse
   */
  async judge(
    { userType }: Pick<Account, 'userType'>,
    { current, isKept, hosts }: WrittenAddress,
    refuse: () => AppError,
  ): Promise<boolean> {
    if (isKept) return current;
    if (userType === 'super') return false;
    for (const host of hosts) if (await this.outbound.refusesRoute(host, NAME_PATIENCE_MS)) throw refuse();
    return true;
  }
}
