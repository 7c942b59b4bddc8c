import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import { nearest } from '../diagnostics/near.js'
import { type Vendor, vendors } from '../vendor-forms/vendor-form.js'
import { namesIn } from './names-in.js'

/** The vendors that `--vendor` names; none are said where it is not given. */
export function vendorsIn(option: string | undefined): Checked<{ readonly vendors?: readonly Vendor[] }> {
  if (option === undefined) return { value: {}, diagnostics: [] }
  const names = namesIn(option)
  if (names.length === 0) return { diagnostics: [noVendor] }
  const unknown = names.filter((name) => !vendors.some((vendor) => vendor === name))
  if (unknown.length > 0) return { diagnostics: unknown.map(unknownVendor) }
  return { value: { vendors: vendors.filter((vendor) => names.includes(vendor)) }, diagnostics: [] }
}

const all = vendors.map((vendor) => `\`${vendor}\``).join(', ')

const noVendor: Diagnostic = {
  code: 'TG0001',
  severity: 'error',
  message: '--vendor names no vendor.',
  next: `Take one or more of ${all}, or leave it out to look by the rules of all.`,
}

function unknownVendor(name: string): Diagnostic {
  const near = nearest(name, vendors)
  return {
    code: 'TG0001',
    severity: 'error',
    message: `--vendor names \`${name}\`, which is no vendor that toolgen knows.`,
    next: near[0] === undefined ? `Take one or more of ${all}.` : `Did you mean \`${near[0]}\`?`,
    ...(near.length > 0 && { near }),
  }
}
