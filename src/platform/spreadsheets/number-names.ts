/** Names of the number's column, lower case, letters and digits only. */
const NUMBER_NAMES: ReadonlySet<string> = new Set([
  'to',
  'phone',
  'phonenumber',
  'phoneno',
  'mobile',
  'mobilenumber',
  'mobileno',
  'number',
  'msisdn',
  'contact',
  'contactnumber',
  'contactno',
  'receiver',
  'recipient',
  'tel',
  'telephone',
  'telephonenumber',
  'cell',
  'cellphone',
]);

/** Whether a cell of a header is a usual name of the number's column, in any case and with any signs between the words. */
export const isNumberName = (cell: string): boolean =>
  NUMBER_NAMES.has(cell.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]/gu, ''));

/** The plural too, where one column counts at the most. */
export const isNumbersName = (cell: string): boolean => isNumberName(cell.replace(/s\W*$/i, ''));
