/** 00:00 UTC of the first day of a month. @param back months before this one */
export function startOfMonth(back: number): Date {
  const today = new Date();
  return new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - back, 1));
}
