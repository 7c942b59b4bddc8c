import type { Checked } from '../diagnostics/diagnostic.js'

/** The value of an option that takes a whole number, 0 or more; no value where the option was not given. */
export function wholeNumber(option: string, text: string | undefined): Checked<number> {
  if (text === undefined) return { diagnostics: [] }
  if (/^\d{1,15}$/.test(text)) return { value: Number(text), diagnostics: [] }
  return {
    diagnostics: [
      {
        code: 'TG0001',
        severity: 'error',
        message: `${option} takes a whole number, and not '${text}'.`,
        next: `Write \`${option} 10\`.`,
      },
    ],
  }
}
