import { type TableRule, platformTables } from '../../platform/periodic/index.js';
import { accountTables } from '../accounts/index.js';
import { alarmTables } from '../alarms/index.js';
import { audioTables } from '../audio/index.js';
import { templateMessageTables } from '../channels/template-messages/index.js';
import { voiceTables } from '../channels/voice/index.js';
import { creditTables } from '../credits/index.js';
import { engineTables } from '../engine/index.js';
import { guardTables } from '../guard/index.js';
import { idempotencyTables } from '../idempotency/index.js';
import { inboundMessageTables } from '../inbound-messages/index.js';
import { profileRequestTables } from '../profile-requests/index.js';
import { providerTables } from '../providers/index.js';
import { quotaTables } from '../quotas/index.js';
import { senderIdTables } from '../sender-ids/index.js';
import { routingTables } from '../routing/index.js';
import { rateTables } from '../rates/index.js';
import { recipientListTables } from '../recipient-lists/index.js';
import { sessionMessageTables } from '../session-messages/index.js';
import { settlementTables } from '../settlements/index.js';
import { statisticsTables } from '../statistics/index.js';
import { suppressionTables } from '../suppressions/index.js';
import { templateTables } from '../templates/index.js';
import { verificationTables } from '../verifications/index.js';
import { webhookTables } from '../webhooks/index.js';

/** Retention of the rows of every table. A test compares this list with the schema. */
export const ALL_TABLES: readonly TableRule[] = [
  ...platformTables,
  ...accountTables,
  ...creditTables,
  ...rateTables,
  ...quotaTables,
  ...providerTables,
  ...routingTables,
  ...engineTables,
  ...guardTables,
  ...idempotencyTables,
  ...audioTables,
  ...voiceTables,
  ...templateMessageTables,
  ...templateTables,
  ...sessionMessageTables,
  ...settlementTables,
  ...suppressionTables,
  ...inboundMessageTables,
  ...statisticsTables,
  ...recipientListTables,
  ...profileRequestTables,
  ...senderIdTables,
  ...webhookTables,
  ...verificationTables,
  ...alarmTables,
];
