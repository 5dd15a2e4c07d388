/** Whether a text is an http(s) URL with a host: what may be handed on to an upstream. */
export const isHttpUrl = (text: string): boolean => /^https?:\/\/[^\s/]/i.test(text) && URL.canParse(text);
