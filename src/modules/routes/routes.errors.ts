import { conflict, type DocumentedError, fieldErrors, invalid, notFound } from '../../kernel/errors.js';
import { MOST_PER_SECOND } from '../../platform/http/index.js';
import { DRIVER_NAMES, OPERATOR_ROUTE_KINDS } from '../providers/index.js';
import { configErrors, MOST_BINDS } from './routes.dto.js';

/** Errors of routes to carriers. */
export const routeErrors = {
  notFound: notFound('route_not_found', 'Route not found', 'no route of that name'),
  name: invalid(
    'invalid_route',
    fieldErrors.invalid.shown('name').text,
    'not 1 to 64 of A-Z a-z 0-9 . _ -, or `status`',
  ).with({ field: 'name' }),
  driver: invalid(
    'invalid_route',
    (names: readonly string[]) => fieldErrors.noWord.shown('driver', names).text,
    'no such driver',
  ).with({ field: 'driver' }),
  channelOfDriver: invalid(
    'invalid_route',
    (driver: string, channels: readonly string[] | string, channel: string) =>
      `driver ${driver} carries ${typeof channels === 'string' ? channels : channels.join(' and ')}, not ${channel}`,
    'the driver is for other channels',
  ).with({ field: 'channel' }),
  noBinds: invalid(
    'invalid_route',
    (driver: string) => `driver ${driver} has no sessions: binds must be null`,
    'binds on a route whose driver keeps no session with the carrier',
  ).with({ field: 'binds' }),
  fieldRequired: invalid(
    'invalid_route',
    (path: string) => fieldErrors.required.shown(path).text,
    'a field of the driver is missing, or `***` with nothing behind it',
  ).with({ field: (path: string) => path }),
  field: invalid(
    'invalid_route',
    (path: string, fault: string) => `${path}: ${fault}`,
    'a field of the driver is at fault',
  ).with({ field: (path: string) => path }),
  unknownSetting: invalid(
    'unknown_setting',
    (path: string, driver: string) => `${path} is no setting of driver ${driver}`,
    'a word that the driver does not know, such as a misspelt one, at any depth',
  ).with({
    field: (path: string) => path,
    hint: 'See the spelling: docs/reference/providers.md lists the settings of each driver.',
  }),
  secretWithAddress: invalid(
    'invalid_route',
    (secret: string) => `config.${secret} is required with a new address`,
    'another host, port, URL (without its query), system_id, account_sid or TLS, and `***` for a secret',
  ).with({
    field: (secret: string) => `config.${secret}`,
    hint: 'Write the secret itself: one that is kept never follows to another address.',
  }),
  closedAddress: invalid(
    'route_address_closed',
    'The address of a route must be public, or in ROUTE_NETWORKS',
    'staff without super wrote it, and it leads to a private, loopback or link-local address, or to this machine',
  ).with({
    field: 'config',
    hint: 'Ask the operator to name the network in `ROUTE_NETWORKS`, or a super account to save the route.',
  }),
  channelOfRoute: conflict(
    'route_channel',
    (channel: string) => `Route belongs to channel ${channel}`,
    'a route never changes its channel',
  ),
  race: conflict(
    'route_race',
    'Route was changed at the same time',
    'another request created it, or made another the default; send it again',
  ),
  inUse: conflict('route_in_use', 'Route is used by unfinished campaigns', 'campaigns wait for it').with({
    hint: 'Move what waits to another route, or wait for its campaigns to end.',
  }),
  named: conflict(
    'route_named',
    (table: string) => `Route is named by routing table ${table}`,
    'its rules would send numbers over another route',
  )
    .with({ hint: 'Take the route out of the table first.' })
    .shown('india'),
  noCosts: notFound('route_costs_not_found', 'Route costs not found', 'the route has none'),
  reasonTooLong: invalid(
    'reason_too_long',
    fieldErrors.tooLong.shown('reason', 255).text,
    'more characters in `reason`',
  ),
  stoppedAlready: conflict('route_stopped', 'Route is already stopped', 'staff have stopped it before'),
  notStopped: conflict('route_not_stopped', 'Route is not stopped', 'it carries'),
  targetUnknown: invalid(
    'unknown_target_route',
    'to_route must name another route',
    'no route of that name, or the same',
  ).with({ field: 'to_route' }),
  targetChannel: invalid(
    'target_route_channel',
    (name: string, channel: string) => `Route ${name} belongs to channel ${channel}`,
    'a route of another channel in `to_route`',
  )
    .with({ field: 'to_route' })
    .shown('gateway-1', 'unofficial'),
  targetStopped: conflict('target_route_stopped', 'to_route is stopped', 'nothing would leave over it').with({
    field: 'to_route',
  }),
  testNumber: invalid('test_number', fieldErrors.invalid.shown('to').text, 'no number that the channel sends to').with({
    field: 'to',
  }),
  testText: invalid('test_text', fieldErrors.tooLong.shown('text', 160).text, 'more characters in `text`').with({
    field: 'text',
  }),
  noCallback: conflict(
    'route_without_callback',
    'Route has no callback address',
    'its driver takes no callbacks with a secret',
  ),
};

/** Errors of customers' connections to the chat provider. */
export const connectionErrors = {
  notFound: notFound('chat_account_not_found', 'Chat account not found', 'the account has no such connection'),
  inUse: conflict('chat_account_in_use', 'Chat account is used by unfinished campaigns', 'campaigns wait for it'),
  providerRequired: invalid(
    'provider_missing',
    fieldErrors.required.shown('provider').text,
    'the connection is not there yet',
  ).with({ field: 'provider' }),
  urlWithAddress: invalid(
    'url_with_address',
    'url must be written in full with a new address',
    'another address, and `***` for a login or a query that stands no more',
  ).with({ field: 'url' }),
  closedAddress: invalid(
    'chat_address_closed',
    'url must lead to a public address, or to one in ROUTE_NETWORKS',
    'staff without super wrote it, and it leads to a private, loopback or link-local address, or to this machine',
  ).with({
    field: 'url',
    hint: 'Ask the operator to name the network in `ROUTE_NETWORKS`, or a super account to save the connection.',
  }),
  tokenWithAddress: invalid(
    'token_with_address',
    'token is required with a new address',
    'another host, port or version in `url`, and a token that would follow it',
  ).with({ field: 'token', hint: 'Write the token itself: one that is kept never follows to another address.' }),
};

export const PUT_ROUTE_ERRORS: readonly DocumentedError[] = [
  routeErrors.name,
  fieldErrors.noWord.shown('channel', OPERATOR_ROUTE_KINDS).because('another word'),
  fieldErrors.required.shown('driver').because('missing'),
  configErrors.noObject,
  configErrors.tooLarge,
  fieldErrors.noWholeNumber.shown('messages_per_second', 1, MOST_PER_SECOND).because('something else; null = no limit'),
  fieldErrors.noWholeNumber.shown('binds', 1, MOST_BINDS).because('something else; null = one a worker'),
  fieldErrors.noFlag.shown('is_default').because('something else'),
  routeErrors.driver.shown(DRIVER_NAMES),
  routeErrors.channelOfDriver.shown('smpp', 'sms', 'voice'),
  routeErrors.noBinds.shown('http'),
  routeErrors.unknownSetting.shown('config.id_pth', 'http'),
  routeErrors.fieldRequired.shown('config.host'),
  routeErrors.field.shown('config.port', 'Too big: expected number to be <=65535'),
  routeErrors.secretWithAddress.shown('password'),
  routeErrors.closedAddress,
  routeErrors.channelOfRoute.shown('sms'),
  routeErrors.race,
];
