import { FileText, Image, type LucideIcon, Video } from 'lucide-react';
import './send.css';

interface Shown {
  header_area_type: string;
  header_media_type: string;
  header_text?: string;
  template_body: string;
  template_footer: string;
  quick_replies: string;
  /** after the quick replies */
  buttons?: readonly { type: string; text?: string }[];
}

const MEDIA: Readonly<Record<string, LucideIcon>> = { Image, Video, Document: FileText };

/** Placeholders filled in; those without a value stay as they are. */
const filled = (text: string, values: Readonly<Record<string, string | undefined>>): string =>
  text.replace(/\{\{(\d+)\}\}/g, (whole, number: string) => values[number] || whole);

/** The texts of the quick replies of a template. */
export function repliesOf(json: string): string[] {
  try {
    const replies: unknown = JSON.parse(json);
    return Array.isArray(replies) ? replies.map(({ text }: { text?: string }) => text ?? '') : [];
  } catch {
    return [];
  }
}

/** A template as the handset shows it. @param values of the body's placeholders, by their number */
export function Handset({
  template,
  values = {},
  header,
}: {
  template: Shown;
  values?: Readonly<Record<string, string | undefined>>;
  header?: string;
}) {
  const Icon = MEDIA[template.header_media_type] ?? Image;
  return (
    <figure className="handset" aria-label="Preview on a phone">
      <div className="bubble">
        {template.header_area_type === 'media' && (
          <div className="media">
            <Icon size={28} aria-hidden />
            <span>{template.header_media_type}</span>
          </div>
        )}
        {template.header_area_type === 'text' && (template.header_text ?? '') !== '' && (
          <strong>{filled(template.header_text ?? '', { '1': header })}</strong>
        )}
        {template.template_body === '' ? (
          <div className="muted">The text appears here.</div>
        ) : (
          <div className="words">{filled(template.template_body, values)}</div>
        )}
        {template.template_footer !== '' && <small className="muted">{template.template_footer}</small>}
      </div>
      {repliesOf(template.quick_replies).map((reply, at) => (
        <div key={at} className="reply">
          {reply}
        </div>
      ))}
      {(template.buttons ?? []).map(({ type, text }, at) => (
        <div key={`button ${String(at)}`} className="reply">
          {type === 'COPY_CODE' ? 'Copy the code' : text}
        </div>
      ))}
    </figure>
  );
}
