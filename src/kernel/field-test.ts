/** What fields have to be. */
export interface FieldTest {
  /** Whether a text passes, as far as its name, its length and its first character say so: it need not be made for that. */
  text: (name: string, length: number, first: number) => boolean;
  /** asked of what is no text, or has not passed by then */
  value: (name: string, value: unknown) => boolean;
}
