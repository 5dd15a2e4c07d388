import { Injectable } from '@nestjs/common';
import { unprocessable, upstream, fieldErrors } from '../../kernel/errors.js';
import { OutboundClient, OutboundError } from '../../platform/outbound/index.js';
import type { HeaderMedium, TemplateSubmission, UploadedFile } from '../providers/index.js';
import { bodySamples, headerSample, type LinkButton, type Template } from './template.js';

const LARGEST_BYTES = 16 * 1024 * 1024;
const MOST_REDIRECTS = 3;

// Media types that the provider accepts, with their file extensions.
const TYPES: Readonly<Record<HeaderMedium, Readonly<Record<string, string>>>> = {
  Image: { 'image/jpeg': 'jpg', 'image/png': 'png' },
  Document: { 'application/pdf': 'pdf' },
  Video: { 'video/mp4': 'mp4' },
};

/** Fetches the owner's sample of a media header through the guard for users' URLs (reference/providers#user-supplied-urls). */
@Injectable()
export class HeaderSample {
  constructor(private readonly outbound: OutboundClient) {}

  /** Throws AppError `unprocessable` if the URL can never work, `upstream` if a retry may help. */
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

/** A URL that sends fill in needs a sample; one is made where the owner gave none. */
const submittedButton = (button: LinkButton): TemplateSubmission['buttons'][number] => {
  if (button.type === 'URL') {
    const { type, text, url, example } = button;
    return { type, text, url, ...(url.includes('{{1}}') && { example: [example ?? url.replace('{{1}}', 'sample')] }) };
  }
  return { ...button };
};

/** Fills a template with samples of its variables for the provider's reviewers. */
@Injectable()
export class TemplateFiller {
  constructor(private readonly samples: HeaderSample) {}

  async fill(template: Template): Promise<TemplateSubmission> {
    return {
      name: template.name,
      category: template.category,
      language: template.language.code,
      header: await this.headerOf(template),
      body: template.body,
      bodyExamples: bodySamples(template.body, template.bodyExamples),
      footer: template.footer,
      quickReplies: template.quickReplies.map(({ text }) => text),
      buttons: template.buttons.map(submittedButton),
    };
  }

  private async headerOf(template: Template): Promise<TemplateSubmission['header']> {
    const { accountId, headerMediaType: medium, headerText: text, headerExampleUrl: url } = template;
    if (medium !== '') {
      return { medium, sample: url === null ? null : await this.samples.fetch(url, medium, accountId) };
    }
    return text === '' ? null : { text, example: headerSample(text) };
  }
}
