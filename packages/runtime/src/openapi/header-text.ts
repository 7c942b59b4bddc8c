/** Whether a header can have a value: `Headers` throws an error that quotes any other. */
export function isHeaderText(text: string): boolean {
  return /^[\t\x20-\x7E\x80-\xFF]*$/.test(text)
}

/** What is said of one that it cannot. */
export const noHeaderText = 'is sent as a header, which has neither line breaks nor letters beyond Latin-1'
