import { failed, invalid, notFound, tooLarge, unsupported } from '../../kernel/errors.js';

const UNREADABLE = 'Unsupported charset or encoding';

export const bodyErrors = {
  tooLarge: tooLarge('body_too_large', 'Request body is too large', 'body over the limit').with({
    hint: 'Split the request; large sets of recipients go into an upload (`POST /v6/api/uploads`).',
  }),
  malformedJson: invalid('malformed_json', 'Malformed JSON body', 'no JSON, or deeper than 32 levels').with({
    hint: 'See that the body is JSON in UTF-8, without a comma at the end of a list, and 32 levels deep at most.',
  }),
  malformedXml: invalid('malformed_xml', 'Malformed XML body', 'no XML, or deeper than 32 levels').with({
    hint: 'See that the body is one XML document in the character set that it or its `Content-Type` names.',
  }),
  unknownType: unsupported(
    'unknown_body',
    'The body must be JSON, XML or form fields',
    'a callback of a carrier whose body is none of them; it is counted, and the carrier may send it again',
  ).with({ hint: 'Send the fields as JSON, as XML, as `application/x-www-form-urlencoded` or in the query.' }),
  malformedMultipart: invalid('malformed_multipart', 'Malformed multipart body', 'a form that cannot be read').with({
    hint: 'Let the HTTP client make the form and its `Content-Type`, boundary included.',
  }),
  fileRequired: invalid('file_required', 'file is required', 'neither a form with a part `file` nor a CSV body').with({
    field: 'file',
    hint: 'Send the CSV as the body with `Content-Type: text/csv`, or as the part `file` of a form.',
  }),
  unreadable: invalid('unreadable_body', 'Request body could not be read', 'it broke off, or is not what it says').with(
    { hint: 'See that `Content-Length` and `Content-Encoding` say what is sent.' },
  ),
  compressed: unsupported(
    'body_compressed',
    UNREADABLE,
    'a compressed body of a caller who is not known, or of a callback',
  ).with({
    hint: 'Send the body without `Content-Encoding`, or with a token or an API key in a header.',
  }),
  tooSlow: invalid(
    'body_too_slow',
    'Request body comes too slowly',
    'after ten seconds less than 16 KB a second of it (256 KB of a body over BODY_LIMIT), or not all of it after 30 seconds where the caller is not known',
  ).with({
    hint: 'Compress the body, or send the recipients as an upload (`POST /v6/api/uploads`), which may come more slowly.',
  }),
};

export const serverErrors = {
  internal: failed('internal', 'Internal server error', 'a fault of ours').with({
    hint: 'The fault is ours. Name the `X-Request-Id` of the answer to the operator; a send may be repeated with the same Idempotency-Key.',
  }),
  databaseAway: failed('database_away', 'Database connection failed', 'the database cannot be reached').with({
    hint: 'The fault is ours, and mostly short: try again in a moment, a send with the same Idempotency-Key.',
  }),
  /** the public lookup has one text for all faults */
  lookUp: failed('look_up_failed', 'Database query failed', 'a fault of ours'),
};

export const unknownResource = notFound('unknown_resource', 'Not Found', 'nothing of that name').with({
  hint: 'See the path, its version (/webhook/api, /v5/api, /v6/api) and the spelling; /docs lists every endpoint.',
});

/** Protocol errors, which have no kind. */
export const protocolErrors = {
  method: {
    status: 405,
    code: 'method_not_allowed',
    message: 'Method not allowed',
    reason: 'a method that the path does not have',
    help: { hint: 'The header `Allow` names the methods of this path.' },
  },
  charset: {
    status: 415,
    code: 'unsupported_charset',
    message: UNREADABLE,
    reason: 'a `Content-Type` or `Content-Encoding` that cannot be read',
    help: { hint: 'Send UTF-8, not compressed or by gzip, deflate or br.' },
  },
} as const;
