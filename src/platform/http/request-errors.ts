import { failed, invalid, notFound, tooLarge } from '../../kernel/define-error.js';

/** Faults of a body as such, whichever endpoint it was for. */
export const bodyErrors = {
  tooLarge: tooLarge('body_too_large', 'Request body is too large', 'body over the limit'),
  malformedJson: invalid('malformed_json', 'Malformed JSON body', 'no JSON, or deeper than 32 levels'),
  malformedMultipart: invalid('malformed_multipart', 'Malformed multipart body', 'a form that cannot be read'),
  fileRequired: invalid('file_required', 'file is required', 'neither a form with a part `file` nor a CSV body'),
  unreadable: invalid('unreadable_body', 'Request body could not be read', 'it broke off, or is not what it says'),
};

/** What the client is told of a fault of ours. */
export const serverErrors = {
  internal: failed('internal', 'Internal server error', 'a fault of ours'),
  databaseAway: failed('database_away', 'Database connection failed', 'the database cannot be reached'),
  /** the one text of the public look-up, whatever the fault */
  lookUp: failed('look_up_failed', 'Database query failed', 'a fault of ours'),
};

/** Where a path leads to nothing. */
export const unknownResource = notFound('unknown_resource', 'Not Found', 'nothing of that name');

/** Errors that only a protocol knows, and so have no kind. */
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
    message: 'Unsupported charset or encoding',
    reason: 'a `Content-Type` or `Content-Encoding` that cannot be read',
    help: { hint: 'Send UTF-8, not compressed or by gzip, deflate or br.' },
  },
} as const;
