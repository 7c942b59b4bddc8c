import type { Diagnostic, Severity } from '../diagnostics/diagnostic.js'
import { printable } from '../text/printable.js'

const commands: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', note: 'notice' }

/** A diagnostic as a workflow command of GitHub Actions, which shows it at its place in the changed files. */
export function githubAnnotation(
  { code, severity, message, place, next }: Diagnostic,
  { pathOf }: { readonly pathOf: (file: string) => string },
): string {
  const properties = [
    ...(place === undefined
      ? []
      : [`file=${property(pathOf(place.file))}`, `line=${place.line}`, `col=${place.column}`]),
    `title=${code}`,
  ]
  return `::${commands[severity]} ${properties.join(',')}::${data(`${message}\n${next}`)}\n`
}

function data(text: string): string {
  return printable(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
