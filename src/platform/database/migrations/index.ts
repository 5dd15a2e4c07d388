import { Baseline1700000018701 } from './1700000018701-baseline.js';
import { StaffSettings1700000019500 } from './1700000019500-staff-settings.js';
import { SettlementOfLanes1700000019300 } from './1700000019300-settlement-of-lanes.js';
import { ValidityOfLanes1700000019310 } from './1700000019310-validity-of-lanes.js';
import { Makers1700000019510 } from './1700000019510-makers.js';
import { GuardedRoutes1700000019600 } from './1700000019600-guarded-routes.js';
import { OwnersSecurity1700000019601 } from './1700000019601-owners-security.js';
import { StoredBytes1700000019610 } from './1700000019610-stored-bytes.js';
import { TemplateLanguageCodes1700000019620 } from './1700000019620-template-language-codes.js';
import { RightsOfThePast1700000019630 } from './1700000019630-rights-of-the-past.js';
import { MessageKeys1700000019650 } from './1700000019650-message-keys.js';
import { NumbersOfAccounts1700000019660 } from './1700000019660-numbers-of-accounts.js';
import { SkippedRows1700000019661 } from './1700000019661-skipped-rows.js';
import { Refusals1700000019670 } from './1700000019670-refusals.js';
import { RefundRefused1700000019680 } from './1700000019680-refund-refused.js';
import { OptOuts1700000019681 } from './1700000019681-opt-outs.js';
import { LateStarts1700000019682 } from './1700000019682-late-starts.js';
import { InboundMessages1700000019690 } from './1700000019690-inbound-messages.js';
import { ChatNotices1700000019700 } from './1700000019700-chat-notices.js';
import { ChatPrices1700000019701 } from './1700000019701-chat-prices.js';
import { TemplateButtons1700000019702 } from './1700000019702-template-buttons.js';
import { MessageTags1700000019710 } from './1700000019710-message-tags.js';
import { RolesOfPeople1700000019730 } from './1700000019730-roles-of-people.js';
import { ScopesOfKeys1700000019731 } from './1700000019731-scopes-of-keys.js';
import { Verifications1700000019750 } from './1700000019750-verifications.js';
import { ProofDue1700000019751 } from './1700000019751-proof-due.js';
import { Guard1700000019740 } from './1700000019740-guard.js';
import { LoginSessions1700000019760 } from './1700000019760-login-sessions.js';
import { SecondFactors1700000019761 } from './1700000019761-second-factors.js';
import { SettlementDays1700000019771 } from './1700000019771-settlement-days.js';
import { Settlements1700000019770 } from './1700000019770-settlements.js';
import { TestKeys1700000019780 } from './1700000019780-test-keys.js';
import { OneTimeLinks1700000019732 } from './1700000019732-one-time-links.js';
import { OidcLogins1700000019762 } from './1700000019762-oidc-logins.js';
import { MakersOfPasswordsAndKeywords1700000019763 } from './1700000019763-makers-of-passwords-and-keywords.js';
import { WhoSetPasswords1700000019520 } from './1700000019520-who-set-passwords.js';

export { FORMER_MIGRATIONS } from './baseline/former-migrations.js';

/** Every migration, in order. */
export const migrations = [
  Baseline1700000018701,
  SettlementOfLanes1700000019300,
  ValidityOfLanes1700000019310,
  StaffSettings1700000019500,
  Makers1700000019510,
  WhoSetPasswords1700000019520,
  GuardedRoutes1700000019600,
  OwnersSecurity1700000019601,
  StoredBytes1700000019610,
  TemplateLanguageCodes1700000019620,
  RightsOfThePast1700000019630,
  MessageKeys1700000019650,
  NumbersOfAccounts1700000019660,
  SkippedRows1700000019661,
  Refusals1700000019670,
  RefundRefused1700000019680,
  OptOuts1700000019681,
  LateStarts1700000019682,
  InboundMessages1700000019690,
  ChatNotices1700000019700,
  ChatPrices1700000019701,
  TemplateButtons1700000019702,
  MessageTags1700000019710,
  RolesOfPeople1700000019730,
  ScopesOfKeys1700000019731,
  OneTimeLinks1700000019732,
  Guard1700000019740,
  Verifications1700000019750,
  ProofDue1700000019751,
  LoginSessions1700000019760,
  SecondFactors1700000019761,
  OidcLogins1700000019762,
  MakersOfPasswordsAndKeywords1700000019763,
  Settlements1700000019770,
  SettlementDays1700000019771,
  TestKeys1700000019780,
];
