import type { INestApplication } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiModule } from '../../src/apps/api/api.module.js';
import { ADMIN_METADATA, AUTHENTICATION_METADATA } from '../../src/modules/accounts/index.js';
import { type Handler, handlersOf, scan, sourceFiles } from './house.js';

/** What a route of an owner that changes something writes: an action of the audit log, a send, or nothing, and why. */
type Entry = string | { send: string } | { none: string };

const CAMPAIGN = { send: 'campaigns' };
const SESSION = { send: 'session_messages' };
const READS = { none: 'changes nothing' };
/** Actions that are put together of two words. */
const MADE_UP = /^campaign\.(pause|resume|cancel)$/;

const ENTRIES: Record<string, Entry> = {
  'ApiKeysController.create': 'api_key.create',
  'ApiKeysController.revoke': 'api_key.revoke',
  'AuthenticationController.logOut': { none: 'ends the own token' },
  'BalanceAlertsController.save': 'balance_alerts.set',
  'ConfirmationController.confirm': { none: 'says that the person is there' },
  'ConfirmationController.options': READS,
  'BulkController.send': CAMPAIGN,
  'BulkController.skipped': READS,
  'BusinessProfileController.update': 'business_profile.change',
  'BusinessProfileController.changePhoto': 'business_profile.photo',
  'CampaignController.cancel': 'campaign.cancel',
  'CampaignController.pause': 'campaign.pause',
  'CampaignController.resume': 'campaign.resume',
  'CampaignController.retryFailed': CAMPAIGN,
  'CampaignsController.quote': READS,
  'FeedbackController.give': { none: 'the guard counts it' },
  'InboundMessagesController.reply': CAMPAIGN,
  'KeywordsController.put': 'keyword.put',
  'KeywordsController.remove': 'keyword.remove',
  'ListsController.create': 'list.create',
  'ListsController.remove': 'list.remove',
  'ListsController.rename': 'list.rename',
  'MembersController.add': 'list.add_members',
  'MembersController.remove': 'list.remove_member',
  'MessagesController.send': CAMPAIGN,
  'NumbersController.read': READS,
  'OwnNumbersController.save': 'account.change',
  'OwnNumbersController.saveCheck': 'account.change',
  'OwnNumbersController.saveTimeZone': 'account.change',
  'OwnPasswordController.password': 'account.password',
  'OwnSessionMessagesController.cancel': 'session_message.cancel',
  'OwnTemplatesController.change': 'template.change',
  'OwnTemplatesController.remove': 'template.remove',
  'ProfileRequestsController.change': 'profile_request.change',
  'ProfileRequestsController.create': 'profile_request.create',
  'ProfileRequestsController.remove': 'profile_request.remove',
  'SecondFactorController.add': 'second_factor.add',
  'SecondFactorController.begin': { none: 'counts only once it is confirmed' },
  'SecondFactorController.confirm': 'second_factor.add',
  'SecondFactorController.options': READS,
  'SecondFactorController.remove': 'second_factor.remove',
  'SecondFactorController.renew': 'second_factor.codes',
  'SecurityController.choose': 'account.security',
  'SenderIdsController.register': 'sender_id.register',
  'SenderIdsController.remove': 'sender_id.remove',
  'SessionMessagesController.send': SESSION,
  'SessionsController.end': 'session.end',
  'SessionsController.endAll': 'session.end_all',
  'SmsBroadcastController.send': CAMPAIGN,
  'SuppressionsController.add': 'suppression.add',
  'SuppressionsController.import': 'suppression.import',
  'SuppressionsController.remove': 'suppression.remove',
  'TemplateMessagesController.sendBranded': CAMPAIGN,
  'TemplateMessagesController.send': CAMPAIGN,
  'TemplatesController.create': 'template.create',
  'UnofficialBroadcastController.send': CAMPAIGN,
  'UploadsController.remove': 'upload.remove',
  'UploadsController.take': 'upload.create',
  'UsersController.change': 'user.change',
  'UsersController.create': 'user.create',
  'UsersController.invite': 'user.invite',
  'UsersController.link': 'user.link',
  'UsersController.remove': 'user.remove',
  'UsersController.signOut': 'user.sign_out',
  'UsersController.withdraw': 'user.link_withdraw',
  'V5SessionController.send': SESSION,
  'ProofsController.check': 'account.prove',
  'ProofsController.start': { none: 'a code to the account itself' },
  'VerificationsController.cancel': 'verification.cancel',
  'VerificationsController.check': { none: 'the list of verifications shows the outcome' },
  'VerificationsController.next': CAMPAIGN,
  'VerificationsController.start': CAMPAIGN,
  'VoiceController.hear': READS,
  'VoiceController.send': CAMPAIGN,
  'VoiceController.simulate': READS,
  'WebhookTestsController.test': 'webhook.test',
  'WebhooksController.change': 'webhook.change',
  'WebhooksController.create': 'webhook.create',
  'WebhooksController.remove': 'webhook.remove',
  'WebhooksController.replay': 'webhook.replay',
  'WebhooksController.rotate': 'webhook.rotate',
};

let app: INestApplication;
let handlers: Handler[];

beforeAll(async () => {
  app = (await scan(ApiModule)) as INestApplication;
  handlers = handlersOf(app).filter(
    (handler) =>
      handler.method !== 'GET' &&
      handler.metadata(AUTHENTICATION_METADATA) !== undefined &&
      handler.metadata(ADMIN_METADATA) === undefined,
  );
});
afterAll(() => app.close());

describe('a route by which an owner changes something', () => {
  it('leaves an entry in the own log, or says why not', () => {
    expect(handlers.map(({ name }) => name).sort()).toEqual(Object.keys(ENTRIES).sort());
  });

  it('leaves one that some command writes', () => {
    const text = sourceFiles('src/modules')
      .filter(({ path }) => !path.endsWith('.spec.ts'))
      .map((file) => file.text)
      .join('\n');
    const sources = new Set(Array.from(text.matchAll(/table: '(\w+)'/g), ([, table]) => table));
    for (const [route, entry] of Object.entries(ENTRIES)) {
      if (typeof entry === 'string') {
        if (!MADE_UP.test(entry)) expect(text, route).toMatch(new RegExp(`['"]${entry.replace('.', '\\.')}['"]`));
      } else if ('send' in entry) expect(sources, route).toContain(entry.send);
    }
  });
});
