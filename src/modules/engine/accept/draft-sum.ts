import type { UsageShare } from '../../credits/index.js';
import type { RouteChain } from '../state/route-chain.js';

/** What the recipients of a draft come to together. */
export interface DraftSum {
  /** credits, for all recipients together */
  charged: number;
  /** the same by calling code and sender */
  usage: readonly UsageShare[];
  /** where some recipient differs from the campaign */
  own?: {
    /** by lane group: the campaign's own, then the further ones, ascending by their ids */
    chains: readonly RouteChain[];
    /** of the recipients, in their order; absent where there is one group */
    groups?: Uint8Array;
    /** whether any has a row of terms: another price, chain or sender */
    hasTerms: boolean;
    /** what sending has to read: a sum of `OWN_KIND` */
    kinds: number;
  };
}
