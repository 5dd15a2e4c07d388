import { Foundation1700000000000 } from './1700000000000-foundation.js';
import { ChatAccounts1700000001000 } from './1700000001000-chat-accounts.js';
import { Templates1700000002000 } from './1700000002000-templates.js';
import { SessionMessages1700000003000 } from './1700000003000-session-messages.js';
import { TemplateRemovals1700000003500 } from './1700000003500-template-removals.js';
import { Audio1700000004000 } from './1700000004000-audio.js';
import { Voice1700000005000 } from './1700000005000-voice.js';
import { AccountDesk1700000006000 } from './1700000006000-account-desk.js';
import { CampaignDesk1700000007000 } from './1700000007000-campaign-desk.js';
import { ProfileRequests1700000008000 } from './1700000008000-profile-requests.js';
import { Webhooks1700000009000 } from './1700000009000-webhooks.js';
import { Suppressions1700000010000 } from './1700000010000-suppressions.js';
import { Idempotency1700000011000 } from './1700000011000-idempotency.js';
import { CampaignRetries1700000012000 } from './1700000012000-campaign-retries.js';
import { StalledLanes1700000013100 } from './1700000013100-stalled-lanes.js';
import { UnknownOutcomeMarks1700000013200 } from './1700000013200-unknown-outcome-marks.js';
import { LaneClaims1700000013201 } from './1700000013201-lane-claims.js';
import { TwoWriters1700000013300 } from './1700000013300-two-writers.js';
import { MessageKeys1700000013301 } from './1700000013301-message-keys.js';
import { FormerCallbackSecrets1700000013400 } from './1700000013400-former-callback-secrets.js';
import { SessionClaims1700000013401 } from './1700000013401-session-claims.js';
import { ChatUserIds1700000013402 } from './1700000013402-chat-user-ids.js';
import { LoginAddresses1700000013500 } from './1700000013500-login-addresses.js';
import { RevokedTokens1700000013501 } from './1700000013501-revoked-tokens.js';
import { SecurityLog1700000013502 } from './1700000013502-security-log.js';
import { Revisions1700000013600 } from './1700000013600-revisions.js';
import { AccountQuotas1700000013601 } from './1700000013601-account-quotas.js';
import { AudioOfCampaigns1700000013700 } from './1700000013700-audio-of-campaigns.js';
import { LostClaims1700000013900 } from './1700000013900-lost-claims.js';
import { RecipientTerms1700000014000 } from './1700000014000-recipient-terms.js';
import { LanesOfRoutes1700000014100 } from './1700000014100-lanes-of-routes.js';
import { LongFences1700000014101 } from './1700000014101-long-fences.js';
import { RouteSenders1700000014200 } from './1700000014200-route-senders.js';
import { LostClaimIds1700000014201 } from './1700000014201-lost-claim-ids.js';
import { AcceptancesUnderWay1700000014300 } from './1700000014300-acceptances-under-way.js';
import { CountersByLane1700000014400 } from './1700000014400-counters-by-lane.js';
import { MessagesByDay1700000014401 } from './1700000014401-messages-by-day.js';
import { ListKeys1700000014500 } from './1700000014500-list-keys.js';
import { DayPartitions1700000014600 } from './1700000014600-day-partitions.js';
import { Ages1700000014601 } from './1700000014601-ages.js';
import { CreditClosings1700000014602 } from './1700000014602-credit-closings.js';
import { CampaignAudio1700000014603 } from './1700000014603-campaign-audio.js';
import { DueEndpoints1700000014700 } from './1700000014700-due-endpoints.js';
import { WebhooksByDay1700000014800 } from './1700000014800-webhooks-by-day.js';
import { SenderIds1700000015000 } from './1700000015000-sender-ids.js';
import { CampaignRoutes1700000015100 } from './1700000015100-campaign-routes.js';
import { LaneMoves1700000015101 } from './1700000015101-lane-moves.js';
import { LostLanes1700000015102 } from './1700000015102-lost-lanes.js';
import { RouteChanges1700000015103 } from './1700000015103-route-changes.js';
import { RoutingTables1700000015200 } from './1700000015200-routing-tables.js';
import { AccountRoutes1700000015201 } from './1700000015201-account-routes.js';
import { RouteCosts1700000015202 } from './1700000015202-route-costs.js';
import { RatePlans1700000015300 } from './1700000015300-rate-plans.js';
import { UsageCounters1700000015301 } from './1700000015301-usage-counters.js';
import { UsageOfThePast1700000015302 } from './1700000015302-usage-of-the-past.js';
import { BalanceAlerts1700000015303 } from './1700000015303-balance-alerts.js';
import { RecipientLists1700000015400 } from './1700000015400-recipient-lists.js';
import { OwnVariables1700000015500 } from './1700000015500-own-variables.js';
import { RetryLeases1700000015501 } from './1700000015501-retry-leases.js';
import { CampaignCategories1700000015502 } from './1700000015502-campaign-categories.js';
import { TransactionMarks1700000016000 } from './1700000016000-transaction-marks.js';
import { ReplicaBeats1700000016001 } from './1700000016001-replica-beats.js';
import { RouteBinds1700000016200 } from './1700000016200-route-binds.js';
import { NameClaims1700000016400 } from './1700000016400-name-claims.js';
import { Restores1700000016500 } from './1700000016500-restores.js';
import { CampaignsOfRoutes1700000017100 } from './1700000017100-campaigns-of-routes.js';
import { SearchedNames1700000017101 } from './1700000017101-searched-names.js';
import { StoppedRoutes1700000017200 } from './1700000017200-stopped-routes.js';
import { WebhookCounters1700000017300 } from './1700000017300-webhook-counters.js';
import { OwnLogs1700000017301 } from './1700000017301-own-logs.js';
import { ProfileRequestReasons1700000017400 } from './1700000017400-profile-request-reasons.js';
import { Traffic1700000017500 } from './1700000017500-traffic.js';
import { Alarms1700000017501 } from './1700000017501-alarms.js';
import { CampaignTraces1700000017700 } from './1700000017700-campaign-traces.js';
import { EarlyStops1700000017800 } from './1700000017800-early-stops.js';
import { DisksAndBackups1700000018500 } from './1700000018500-disks-and-backups.js';
import { AgesOfUnknownOutcomes1700000018700 } from './1700000018700-ages-of-unknown-outcomes.js';
import { StaffSettings1700000019500 } from './1700000019500-staff-settings.js';
import { SettlementOfLanes1700000019300 } from './1700000019300-settlement-of-lanes.js';

/** Every migration, in order. */
export const migrations = [
  Foundation1700000000000,
  ChatAccounts1700000001000,
  Templates1700000002000,
  SessionMessages1700000003000,
  TemplateRemovals1700000003500,
  Audio1700000004000,
  Voice1700000005000,
  AccountDesk1700000006000,
  CampaignDesk1700000007000,
  ProfileRequests1700000008000,
  Webhooks1700000009000,
  Suppressions1700000010000,
  Idempotency1700000011000,
  CampaignRetries1700000012000,
  StalledLanes1700000013100,
  UnknownOutcomeMarks1700000013200,
  LaneClaims1700000013201,
  TwoWriters1700000013300,
  MessageKeys1700000013301,
  FormerCallbackSecrets1700000013400,
  SessionClaims1700000013401,
  ChatUserIds1700000013402,
  LoginAddresses1700000013500,
  RevokedTokens1700000013501,
  SecurityLog1700000013502,
  Revisions1700000013600,
  AccountQuotas1700000013601,
  AudioOfCampaigns1700000013700,
  LostClaims1700000013900,
  RecipientTerms1700000014000,
  LanesOfRoutes1700000014100,
  LongFences1700000014101,
  RouteSenders1700000014200,
  LostClaimIds1700000014201,
  AcceptancesUnderWay1700000014300,
  CountersByLane1700000014400,
  MessagesByDay1700000014401,
  ListKeys1700000014500,
  DayPartitions1700000014600,
  Ages1700000014601,
  CreditClosings1700000014602,
  CampaignAudio1700000014603,
  DueEndpoints1700000014700,
  WebhooksByDay1700000014800,
  SenderIds1700000015000,
  CampaignRoutes1700000015100,
  LaneMoves1700000015101,
  LostLanes1700000015102,
  RouteChanges1700000015103,
  RoutingTables1700000015200,
  AccountRoutes1700000015201,
  RouteCosts1700000015202,
  RatePlans1700000015300,
  UsageCounters1700000015301,
  UsageOfThePast1700000015302,
  BalanceAlerts1700000015303,
  RecipientLists1700000015400,
  OwnVariables1700000015500,
  RetryLeases1700000015501,
  CampaignCategories1700000015502,
  TransactionMarks1700000016000,
  ReplicaBeats1700000016001,
  RouteBinds1700000016200,
  NameClaims1700000016400,
  Restores1700000016500,
  CampaignsOfRoutes1700000017100,
  SearchedNames1700000017101,
  StoppedRoutes1700000017200,
  WebhookCounters1700000017300,
  OwnLogs1700000017301,
  ProfileRequestReasons1700000017400,
  Traffic1700000017500,
  Alarms1700000017501,
  CampaignTraces1700000017700,
  EarlyStops1700000017800,
  DisksAndBackups1700000018500,
  AgesOfUnknownOutcomes1700000018700,
  SettlementOfLanes1700000019300,
  StaffSettings1700000019500,
];
