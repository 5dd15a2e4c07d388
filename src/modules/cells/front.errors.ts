import { type ErrorHelp, fieldErrors } from '../../kernel/errors.js';
import { unknownResource } from '../../platform/http/index.js';
import { reportErrors } from '../delivery-reports/index.js';

/** An answer of the front itself (reference/cells#what-the-front-answers-itself). */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly retryAfterSeconds?: number,
    readonly help: Readonly<ErrorHelp> = {},
  ) {
    super(message);
  }
}

/** Nothing was forwarded, so the client may retry. */
const RETRY_SECONDS = 1;
const list = (letters: readonly string[]): string => letters.join(', ');

export const refusals = {
  target: () => new Refusal(400, 'malformed_target', 'Malformed request target'),
  unknownCell: (letters: readonly string[]) =>
    new Refusal(400, fieldErrors.noWord.code, fieldErrors.noWord('X-Cell', letters).message),
  nameTheCell: (letters: readonly string[]) =>
    new Refusal(400, 'cell_not_named', `Name the cell in X-Cell or as /c/<letter>: ${list(letters)}`),
  unknownPath: () => new Refusal(404, unknownResource.code, unknownResource.text),
  reportNotFound: () => new Refusal(404, reportErrors.notFound.code, reportErrors.notFound.text),
  unreachable: () => new Refusal(503, 'service_unavailable', 'Service Unavailable', RETRY_SECONDS),
  broken: () => new Refusal(502, 'bad_gateway', 'Bad Gateway'),
};
