/** Something of a request that was ignored, replaced or looks wrong. */
export interface Hint {
  /** such as `unknown_field` (docs/guide/requests) */
  code: string;
  /** the field of the request */
  field?: string;
  /** entries that the hint is about */
  count?: number;
}

/** The hints of an answer, from its header `Switchboard-Warnings`. */
export function hintsOf(response: Response): readonly Hint[] {
  const header = response.headers.get('switchboard-warnings');
  if (header === null) return [];
  try {
    const hints: unknown = JSON.parse(header);
    return Array.isArray(hints) ? (hints as Hint[]) : [];
  } catch {
    return [];
  }
}
