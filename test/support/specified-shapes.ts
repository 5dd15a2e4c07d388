type Json = Record<string, unknown>;
/** What is specified: fields of an object, of each entry of a list, or any value. */
export type Shape = { [field: string]: Shape } | [Shape] | null;

/** The fields of an answer as far as they are specified; a list is checked by all of its entries. */
export function shapeOf(value: unknown, wanted: Shape): unknown {
  if (wanted === null) return null;
  if (Array.isArray(wanted)) {
    const shapes = (value as unknown[]).map((entry) => shapeOf(entry, wanted[0]));
    return shapes.find((shape) => JSON.stringify(shape) !== JSON.stringify(sorted(wanted[0]))) ?? shapes[0];
  }
  const fields = Object.entries(value as Json).map(([field, inner]) => [field, shapeOf(inner, wanted[field] ?? null)]);
  return sorted(Object.fromEntries(fields) as Shape);
}

export function sorted(shape: Shape): unknown {
  if (shape === null) return null;
  if (Array.isArray(shape)) return sorted(shape[0]);
  const fields = Object.entries(shape).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([field, inner]) => [field, sorted(inner)]));
}

export const of = (...fields: string[]): { [field: string]: Shape } =>
  Object.fromEntries(fields.map((field) => [field, null]));

export const BROADCAST = of('request_id', 'status', 'message', 'username', 'Credits');
export const SMS = { ...BROADCAST, url: null };
export const TEMPLATE_MESSAGE = of('success', 'message', 'request_id', 'username', 'template_name', 'category');
export const TEMPLATE_CAMPAIGN = { ...TEMPLATE_MESSAGE, contacts: null };
export const CREATED = of(
  ...['success', 'message', 'username', 'template_id', 'template_controller_id', 'status', 'controller_status'],
  ...['language_id', 'language'],
);
export const TEMPLATE = of(
  ...['id', 'username', 'template_name', 'status', 'category', 'language', 'header_area_type', 'header_media_type'],
  ...['template_body', 'template_footer', 'quick_replies', 'created_at'],
);
export const VOICE = of(
  ...['request_id', 'campaign_name', 'contacts', 'counts_per_contact', 'credits_deducted', 'ivr_enabled', 'status'],
  'audio_url',
);
export const RECORD = of(
  'event',
  'providerMessageId',
  'receiver',
  'status',
  'status_code',
  'error_code',
  'errorMessage',
);
export const SUMMARY = of('requestid', 'username', 'deduction', 'contacts', 'broadcast_name');
const report = (summary: Shape, record: Shape): Shape => ({
  success: null,
  request_id: null,
  data: { summary, total_rows: null, status_counts: null, records: [record] },
});
export const SMS_REPORT = report({ ...SUMMARY, ...of('schedule_time', 'schedule_date') }, RECORD);
export const VOICE_REPORT = report(
  { ...SUMMARY, ...of('total_credits_used', 'Date', 'Time') },
  { ...RECORD, duration: null },
);
export const SESSION = {
  messaging_product: null,
  contacts: [of('input', 'wa_id')],
  messages: [of('id')],
} satisfies Shape;
export const V5 = of('status', 'textsent', 'message');
export const REQUEST = of('id', 'username', 'verified_name', 'number', 'numberForOTP', 'status', 'channel');
export const PROFILE = of(
  ...['about', 'address', 'description', 'email', 'profile_picture_url', 'websites', 'vertical'],
) satisfies Shape;
export const ACCOUNT = of(
  ...['id', 'username', 'email', 'mobile_no', 'firstname', 'lastname', 'name', 'user_type', 'role', 'api_base_url'],
);
