import type { DocumentedError } from '../../../kernel/define-error.js';
import { fieldErrors } from '../../../kernel/field-errors.js';
import { MOST_PER_SECOND } from '../../../platform/http/index.js';
import { OPERATOR_ROUTE_KINDS } from '../../providers/index.js';
import { routeErrors } from '../admin.errors.js';
import { configErrors, MOST_BINDS } from './route.dto.js';

export const PUT_ROUTE_ERRORS: readonly DocumentedError[] = [
  routeErrors.name,
  fieldErrors.noWord.shown('channel', OPERATOR_ROUTE_KINDS).because('another word'),
  fieldErrors.required.shown('driver').because('missing'),
  configErrors.noObject,
  configErrors.tooLarge,
  fieldErrors.noWholeNumber.shown('messages_per_second', 1, MOST_PER_SECOND).because('something else; null = no limit'),
  fieldErrors.noWholeNumber.shown('binds', 1, MOST_BINDS).because('something else; null = one a worker'),
  fieldErrors.noFlag.shown('is_default').because('something else'),
  routeErrors.driver.shown(['smpp', 'http', 'twilio']),
  routeErrors.channelOfDriver.shown('smpp', 'sms', 'voice'),
  routeErrors.noBinds.shown('http'),
  routeErrors.fieldRequired.shown('config.host'),
  routeErrors.field.shown('config.port', 'Too big: expected number to be <=65535'),
  routeErrors.secretWithAddress.shown('password'),
  routeErrors.closedAddress,
  routeErrors.channelOfRoute.shown('sms'),
  routeErrors.race,
];
