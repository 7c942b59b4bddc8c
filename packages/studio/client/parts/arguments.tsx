import { Alert, Textarea } from '@mantine/core'
import type { JsonSchema } from '@toolgen/runtime'
import { parsePointer } from '@toolgen/runtime/schema'
import { lazy, memo, Suspense, useEffect, useState } from 'react'
import { api, type Validation } from '../api.js'
import { Code, Details, Icon, Loading } from './common.js'

const SchemaForm = lazy(() => import('./schema-form.js'))

const NONE: Validation['issues'] = []

function parsed(text: string): { readonly value: unknown } | { readonly error: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? 'null'
}

export function useValidation(
  tool: string | undefined,
  agent: string | undefined,
  text: string,
): Validation | undefined {
  const [result, setResult] = useState<Validation>()
  useEffect(() => {
    if (tool === undefined) return
    const controller = new AbortController()
    const sent = { tool, arguments: text, ...(agent !== undefined && { agent }) }
    const timer = setTimeout(() => {
      // Ignores request errors, because the later call also reports an unreachable server.
      api.validate(sent, controller.signal).then(setResult, () => undefined)
    }, 120)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [tool, agent, text])
  return result
}

/** Formats a JSON Pointer as a property path: `lines[0].quantity`. */
function fieldOf(pointer: string): string {
  return (parsePointer(pointer) ?? []).reduce(
    (path, key) => (/^\d+$/.test(key) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`),
    '',
  )
}

/** List of issues, each with the path of its field. The path leads to the parent object if the message already names the field. */
export function IssueList({ issues }: { readonly issues: Validation['issues'] }) {
  return (
    <ul className="issues">
      {issues.map(({ pointer, message }) => {
        const name = parsePointer(pointer)?.at(-1)
        const isNamed = name !== undefined && message.includes(`field ${JSON.stringify(name)}`)
        const field = fieldOf(isNamed ? pointer.slice(0, pointer.lastIndexOf('/')) : pointer)
        return (
          <li key={pointer + message}>
            {field !== '' && <code>{field}</code>} {message}
          </li>
        )
      })}
    </ul>
  )
}

/** List of issues, and the error text for the model. Omits syntax errors, which the JSON editor shows. */
export function Issues({ validation, text }: { readonly validation: Validation; readonly text: string }) {
  const isJson = 'value' in parsed(text)
  return (
    <section className="call-issues" aria-label="Issues">
      {isJson && <IssueList issues={validation.issues} />}
      <Details title="Text that the model would read">
        <Code text={validation.text} label="validation" />
      </Details>
    </section>
  )
}

/** Form and JSON editor for the same arguments. `text` can be invalid JSON. `memo` prevents unnecessary renders, because forms render slowly. */
export const ArgumentsEditor = memo(function ArgumentsEditor({
  schema,
  text,
  onText,
  issues = NONE,
  name,
}: {
  readonly schema: JsonSchema | undefined
  readonly text: string
  readonly onText: (text: string) => void
  readonly issues?: Validation['issues']
  readonly name: string
}) {
  const result = parsed(text)
  const isObject = 'value' in result && typeof result.value === 'object' && result.value !== null
  return (
    <div className="editor">
      {schema !== undefined && (
        <section className="editor-form" aria-label="Form">
          {isObject ? (
            <Suspense fallback={<Loading label="Loading the form" />}>
              <SchemaForm
                name={name}
                schema={schema}
                value={result.value}
                issues={issues}
                onChange={(value) => onText(jsonText(value))}
              />
            </Suspense>
          ) : (
            <Alert color="yellow" variant="light" icon={<Icon name="warn" />}>
              The form needs a JSON object. Correct the JSON text.
            </Alert>
          )}
        </section>
      )}
      <section className="editor-json" aria-label="JSON">
        <Textarea
          label="JSON"
          value={text}
          onChange={(event) => onText(event.currentTarget.value)}
          error={'error' in result ? result.error : undefined}
          autosize
          minRows={6}
          maxRows={28}
          spellCheck={false}
          classNames={{ input: 'mono' }}
        />
      </section>
    </div>
  )
})
