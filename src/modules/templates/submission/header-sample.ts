import { Injectable } from '@nestjs/common';
import { unprocessable, upstream } from '../../../kernel/define-error.js';
import { fieldErrors } from '../../../kernel/field-errors.js';
import { OutboundClient, OutboundError } from '../../../platform/outbound/index.js';
import type { HeaderMedium, UploadedFile } from '../../providers/index.js';

const LARGEST_BYTES = 16 * 1024 * 1024;
const MOST_REDIRECTS = 3;

/** Types that the upstream takes for a medium, with the ending of the file's name. */
const TYPES: Readonly<Record<HeaderMedium, Readonly<Record<string, string>>>> = {
  Image: { 'image/jpeg': 'jpg', 'image/png': 'png' },
  Document: { 'application/pdf': 'pdf' },
  Video: { 'video/mp4': 'mp4' },
};

/**
 * The sample of a header's medium that the owner named by a URL; behind the guard for users' URLs
 * (reference/providers#user-supplied-urls).
 */
@Injectable()
export class HeaderSample {
  constructor(private readonly outbound: OutboundClient) {}

  /**
   * @param accountId whose URL it is
   * @throws AppError `unprocessable` when the URL can never serve (not allowed, gone, too large, another type);
   * `upstream` when another try may help
   */
  async fetch(url: string, medium: HeaderMedium, accountId: number): Promise<UploadedFile> {
    const { status, headers, body } = await this.read(url, accountId);
    if (status >= 500 || status === 429) throw unreadable.upstream();
    const mimeType = (headers['content-type'] ?? '').toLowerCase().split(';')[0]?.trim() ?? '';
    const types = TYPES[medium];
    const ending = Object.hasOwn(types, mimeType) ? types[mimeType] : undefined;
    if (status !== 200 || body.length === 0) throw unreadable.unprocessable();
    if (ending === undefined) throw wrongType(Object.keys(types));
    return { bytes: body, mimeType, name: `sample.${ending}` };
  }

  private async read(url: string, customer: number) {
    try {
      return await this.outbound.request({ url, customer, maxBytes: LARGEST_BYTES, maxRedirects: MOST_REDIRECTS });
    } catch (error) {
      const isFinal = error instanceof OutboundError && FINAL.has(error.fault);
      throw unreadable[isFinal ? 'unprocessable' : 'upstream']();
    }
  }
}

const FINAL: ReadonlySet<string> = new Set(['refused', 'too_large', 'redirect']);

const UNREADABLE = fieldErrors.notFetched.shown('header_example_url').text;
const unreadable = {
  unprocessable: unprocessable('header_example_unreadable', UNREADABLE),
  upstream: upstream('header_example_unreadable', UNREADABLE),
};
const wrongType = unprocessable(
  'header_example_type',
  (types: readonly string[]) => `header_example_url is not ${types.join(' or ')}`,
);
