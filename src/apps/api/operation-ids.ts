/**
 * Ids of operations: `<verb><Thing>` made of the handler (`CampaignController.show` → `getCampaign`), with `admin` before
 * those of staff. Where that reads badly, the name stands here; clients are generated from them, so a name that was
 * published stays (test/architecture/routes.test.ts).
 */
const NAMED: Readonly<Record<string, string>> = {
  'AuthenticationController_logIn[0]': 'logIn',
  OwnSearchController_search: 'search',
  StaffSearchController_search: 'adminSearch',
  'AuthenticationController_logIn[1]': 'logInAtRoot',
  'AuthenticationController_logOut[0]': 'logOut',
  'AuthenticationController_logOut[1]': 'logOutAtRoot',
  'AuthenticationController_register[0]': 'register',
  'AuthenticationController_register[1]': 'registerAtRoot',
  AccountAccessController_allCreated: 'adminListCreated',
  AccountAccessController_created: 'adminListCreatedByApiKey',
  AccountAccessController_keys: 'adminListAccountApiKeys',
  AccountAccessController_revoke: 'adminRevokeAccountApiKey',
  AccountAccessController_users: 'adminListAccountUsers',
  AudioController_read: 'getAudio',
  AuditController_list: 'adminListAuditEntries',
  BalanceAlertsController_show: 'getBalanceAlerts',
  BalanceAlertsController_save: 'putBalanceAlerts',
  BulkController_send: 'sendCampaign',
  BusinessProfileController_changePhoto: 'changeBusinessProfilePhoto',
  CallCallbacksController_next: 'receiveCallStep',
  CallCallbacksController_status: 'receiveCallStatus',
  CampaignController_retryFailed: 'retryFailedRecipients',
  CampaignsController_quote: 'quoteCampaign',
  ChatCallbacksController_verify: 'verifyChatCallback',
  ChatCallbacksController_post: 'receiveChatCallback',
  ContactsController_contacts: 'listCampaignContacts',
  ContactsController_timeline: 'getContactTimeline',
  ContactsController_exportCsv: 'exportCampaign',
  ContactsController_events: 'followCampaign',
  CreditsController_adjust: 'adminAdjustCredits',
  CreditsController_balances: 'adminGetCredits',
  CreditsController_ledger: 'adminGetCreditLedger',
  CreditsController_proof: 'adminProveCredits',
  HealthController_live: 'getLiveness',
  HealthController_ready: 'getReadiness',
  HoldingsController_find: 'findHoldings',
  MarginController_margin: 'adminGetMargin',
  MembersController_add: 'addListMembers',
  MembersController_list: 'listListMembers',
  MembersController_remove: 'removeListMember',
  MetricsController_read: 'getMetrics',
  NumberCheckController_save: 'putNumberCheck',
  OwnAccountController_credits: 'getCredits',
  OwnAccountController_ledger: 'getCreditLedger',
  OwnLogController_list: 'listOwnLog',
  OwnPasswordController_created: 'listCreated',
  OwnPasswordController_password: 'changePassword',
  OwnUsageController_usage: 'getUsage',
  ProviderCallbacksController_post: 'receiveProviderCallback',
  ProviderCallbacksController_get: 'receiveProviderCallbackByGet',
  PublicProfileRequestsController_lookUp: 'lookUpProfileRequests',
  RecipientsController_find: 'findRecipient',
  RouteActionsController_move: 'adminMoveRoute',
  RouteActionsController_start: 'adminStartRoute',
  RouteActionsController_stop: 'adminStopRoute',
  RouteActionsController_test: 'adminTestRoute',
  RouteStatusController_list: 'adminListRouteStatuses',
  RouteStatusController_show: 'adminGetRouteStatus',
  RouteStatusController_waiting: 'adminListCampaignsOfRoute',
  RoutesController_rotate: 'adminRotateCallbackSecret',
  RouteCostsController_show: 'adminGetRouteCosts',
  RouteCostsController_put: 'adminPutRouteCosts',
  RouteCostsController_remove: 'adminRemoveRouteCosts',
  RatesController_list: 'adminListRatePlans',
  RatesController_show: 'adminGetRatePlan',
  RatesController_put: 'adminPutRatePlan',
  RatesController_remove: 'adminRemoveRatePlan',
  RoutingController_list: 'adminListRoutingTables',
  RoutingController_show: 'adminGetRoutingTable',
  RoutingController_put: 'adminPutRoutingTable',
  RoutingController_remove: 'adminRemoveRoutingTable',
  RoutingController_explain: 'adminExplainRouting',
  SecurityLogController_list: 'adminListSecurityLog',
  SmsGetController_send: 'sendSmsByGet',
  SmsReportController_read: 'getSmsReport',
  SmsReportController_readByBody: 'postSmsReport',
  SuppressionsController_add: 'addSuppressions',
  SuppressionsController_remove: 'removeSuppressions',
  SuppressionsController_import: 'importSuppressions',
  TemplateMessagesController_send: 'sendTemplateMessage',
  TemplateMessagesController_sendBranded: 'sendBrandedCampaign',
  UploadsController_take: 'uploadRecipients',
  UsageController_usage: 'adminGetUsage',
  'V5SessionController_send[0]': 'sendV5Session',
  'V5SessionController_send[1]': 'sendV5Session1',
  'V5SessionController_send[2]': 'sendV5Broadcast',
  VoiceController_send: 'sendVoiceCampaign',
  VoiceController_simulate: 'simulateVoiceMenu',
  WebhooksController_replay: 'replayEvent',
  OwnTemplatesController_list: 'listOwnTemplates',
  OwnTemplatesController_find: 'getTemplate',
  WebhookTestsController_test: 'testWebhook',
  WebhooksController_rotate: 'rotateWebhookSecret',
  WebhooksController_attempts: 'listWebhookAttempts',
  WebhooksAdminController_attempts: 'adminListWebhookAttempts',
  WebhooksAdminController_replay: 'adminReplayWebhookEvent',
};

const VERBS: Readonly<Record<string, string>> = { show: 'get', find: 'get', read: 'get' };
const ADMIN_PATH = '/v6/api/admin';

/**
 * The id of an operation.
 * @param handler what Nest calls it: `Controller_method`, with `[n]` where a handler has several paths
 */
export function operationIdOf(handler: string, path: string): string {
  const named = NAMED[handler];
  if (named !== undefined) return named;
  const [, controller = '', method = '', at] = /^(\w+?)Controller_(\w+)(?:\[(\d+)\])?$/.exec(handler) ?? [];
  const things = controller.replace(/^Own(?=[A-Z])|Admin$/g, '');
  const name =
    (VERBS[method] ?? method) +
    (method === 'list' ? things : singular(things)) +
    (at === undefined || at === '0' ? '' : at);
  return path.startsWith(ADMIN_PATH) ? `admin${name[0]?.toUpperCase()}${name.slice(1)}` : name;
}

const singular = (things: string): string => things.replace(/ies$/, 'y').replace(/(?<!s)s$/, '');
