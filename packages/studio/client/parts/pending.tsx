import { Button, Textarea, TextInput } from '@mantine/core'
import type { JsonObject, JsonValue } from '@toolgen/runtime'
import { parsePointer } from '@toolgen/runtime/schema'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import {
  api,
  type PendingAnswer,
  type RequestFailure,
  type RunAnswer,
  type RunSummary,
  type Validation,
} from '../api.js'
import { failureOf, useLoaded } from '../store.js'
import { ArgumentsEditor, IssueList, jsonText, useValidation } from './arguments.js'
import { Failure, Icon, Tag } from './common.js'
import { Json } from './json.js'

const TITLES: Readonly<Record<PendingAnswer['kind'], string>> = {
  approval: 'Approval needed',
  external: 'Result needed',
  clarification: 'Question of the agent',
  elicitation: 'Question of the MCP server',
}

interface PendingListProps {
  readonly run: RunSummary
  readonly focusApproval?: boolean
}

export function PendingList({ run, focusApproval = false }: PendingListProps) {
  if (run.pending.length === 0) return null
  if (!run.isOwn) {
    return (
      <p className="notice">
        The application started this run, so it must answer:{' '}
        {run.pending.map(({ tool, kind }) => tool ?? kind).join(', ')}.
      </p>
    )
  }
  return <PendingCards key={run.id} run={run} focusApproval={focusApproval} />
}

function PendingCards({ run: { id, pending }, focusApproval }: PendingListProps) {
  const [known, setKnown] = useState<ReadonlyMap<string, PendingAnswer>>(new Map())
  const missing = pending.filter((each) => !known.has(each.id)).map((each) => each.id)
  const { value, error, reload } = useLoaded(`pending:${id}:${missing.join(' ')}`, async () =>
    missing.length === 0 ? [] : (await api.record(id)).pending,
  )
  useEffect(() => {
    if (value !== undefined)
      setKnown((before) => new Map([...before, ...value.map((each) => [each.id, each] as const)]))
  }, [value])
  return (
    <>
      {pending.map((each, index) => {
        const answer = known.get(each.id)
        if (answer === undefined) return null
        const takesFocus = focusApproval === true && index === 0 && answer.kind === 'approval'
        return <PendingCard key={answer.id} run={id} pending={answer} takesFocus={takesFocus} />
      })}
      {error !== undefined && <Failure error={error} retry={reload} />}
    </>
  )
}

function PendingCard({
  run,
  pending,
  takesFocus,
}: {
  readonly run: string
  readonly pending: PendingAnswer
  readonly takesFocus: boolean
}) {
  const card = useRef<HTMLElement>(null)
  useEffect(() => {
    const active = document.activeElement
    // Does not take the focus from a person who is writing a message.
    const isWriting = active instanceof HTMLTextAreaElement && active.value !== ''
    if (takesFocus && !isWriting) card.current?.focus()
  }, [takesFocus])
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<RequestFailure>()
  const send = async (answer: RunAnswer): Promise<void> => {
    setSending(true)
    setError(undefined)
    try {
      await api.answer(run, { [pending.id]: answer })
    } catch (reason) {
      setError(failureOf(reason))
    } finally {
      setSending(false)
    }
  }
  const { kind, tool, prompt, url } = pending
  const Body = kind === 'approval' ? Approval : kind === 'clarification' ? Clarification : Content
  return (
    <section className="pending" aria-label={TITLES[kind]} data-pending={kind} ref={card} tabIndex={-1}>
      <div className="pending-head">
        <Icon name="warn" />
        <h4>{TITLES[kind]}</h4>
        {tool !== undefined && <code className="tool-id">{tool}</code>}
      </div>
      {prompt !== undefined && <p className="pending-prompt">{prompt}</p>}
      {url !== undefined && (
        <p>
          <a className="link mono" href={url} target="_blank" rel="noopener noreferrer">
            {url}
          </a>
        </p>
      )}
      <Body pending={pending} send={send} isSending={isSending} />
      {error !== undefined && <Failure error={error} />}
    </section>
  )
}

interface BodyProps {
  readonly pending: PendingAnswer
  readonly send: (answer: RunAnswer) => Promise<void>
  readonly isSending: boolean
}

function Approval({ pending, send, isSending }: BodyProps) {
  const { tool, agent, schema, prompt, arguments: original = '{}' } = pending
  const [text, setText] = useState(() => formatted(original))
  const [mode, setMode] = useState<'decide' | 'edit' | 'deny'>('decide')
  const [reason, setReason] = useState('')
  const validation = useValidation(mode === 'edit' ? tool : undefined, agent, text)
  const issues = useMemo(() => editedIssues(text, original, validation), [text, original, validation])
  const isInvalid = mode === 'edit' && (issues.length > 0 || safeJson(text) === undefined)
  const reasonInput = useRef<HTMLInputElement>(null)
  const denyButton = useRef<HTMLButtonElement>(null)
  const wasDenying = useRef(false)
  // Moves the focus, because the focused button disappears.
  useEffect(() => {
    if (mode === 'deny') reasonInput.current?.focus()
    else if (wasDenying.current) denyButton.current?.focus()
    wasDenying.current = mode === 'deny'
  }, [mode])
  return (
    <div className="stack">
      {mode === 'edit' && prompt !== undefined && (
        <p className="dim">The question above is about the original arguments. It does not change with your edits.</p>
      )}
      {mode === 'edit' ? (
        <ArgumentsEditor name={`edit-${pending.id}`} schema={schema} text={text} onText={setText} issues={issues} />
      ) : (
        <Json value={safeJson(original)} label="arguments" />
      )}
      {mode === 'edit' && issues.length > 0 && (
        <section aria-label="Issues">
          <IssueList issues={issues} />
        </section>
      )}
      {mode === 'deny' ? (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault()
            void send({ decision: 'deny', ...(reason !== '' && { reason }) })
          }}
        >
          <TextInput
            ref={reasonInput}
            label="Reason"
            description="The model reads the reason. It can be empty."
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <div className="row">
            <Button type="submit" color="red" loading={isSending}>
              Deny
            </Button>
            <Button variant="default" onClick={() => setMode('decide')}>
              Back
            </Button>
          </div>
        </form>
      ) : (
        <div className="row">
          <Button
            loading={isSending}
            disabled={isInvalid}
            onClick={() => void send({ decision: 'approve', ...(mode === 'edit' && { arguments: text }) })}
          >
            {mode === 'edit' ? 'Approve with these arguments' : 'Approve'}
          </Button>
          <Button
            variant="default"
            onClick={() => {
              setText(formatted(original))
              setMode(mode === 'edit' ? 'decide' : 'edit')
            }}
          >
            {mode === 'edit' ? 'Discard edits' : 'Edit arguments'}
          </Button>
          <Button ref={denyButton} variant="default" onClick={() => setMode('deny')}>
            Deny…
          </Button>
          {isInvalid && <Tag tone="bad">invalid arguments</Tag>}
        </div>
      )}
    </div>
  )
}

function editedIssues(text: string, original: string, validation: Validation | undefined): Validation['issues'] {
  const [edited, before] = [safeJson(text), safeJson(original)]
  if (edited === undefined) return []
  // An unchanged value can be a placeholder of a hidden value, so its issues are not shown.
  return (validation?.issues ?? []).filter(({ pointer }) => {
    const [value, last] = [valueAt(edited, pointer), valueAt(before, pointer)]
    return typeof value === 'object' || value !== last
  })
}

function valueAt(value: unknown, pointer: string): unknown {
  return (parsePointer(pointer) ?? []).reduce<unknown>((parent, key) => Object(parent)[key], value)
}

export function onEnter(submit: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
}

function Clarification({ send, isSending }: BodyProps) {
  const [text, setText] = useState('')
  const submit = (): void => {
    if (text.trim() !== '' && !isSending) void send({ text })
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Textarea
        label="Answer"
        autosize
        minRows={2}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onEnter(submit)}
      />
      <div className="row">
        <Button type="submit" disabled={text.trim() === ''} loading={isSending}>
          Send answer
        </Button>
      </div>
    </form>
  )
}

/** Form for the content that an MCP server requests (`elicitation`), or for the result that the application must provide (`external`). */
function Content({ pending: { kind, id, schema, arguments: sent }, send, isSending }: BodyProps) {
  const [text, setText] = useState('{}')
  const value = safeJson(text)
  const isQuestion = kind === 'elicitation'
  const isForm = !isQuestion || schema !== undefined
  const answer: RunAnswer = isQuestion ? { content: value as JsonObject } : { result: value as JsonValue }
  return (
    <div className="stack">
      {sent !== undefined && <Json value={safeJson(sent)} label="arguments" />}
      {isForm && (
        <ArgumentsEditor name={`content-${id}`} schema={isQuestion ? schema : undefined} text={text} onText={setText} />
      )}
      <div className="row">
        <Button
          loading={isSending}
          disabled={isForm && value === undefined}
          onClick={() => void send(isForm ? answer : { decision: 'approve' })}
        >
          {isQuestion ? 'Accept' : 'Send result'}
        </Button>
        <Button variant="default" onClick={() => void send({ decision: 'deny' })}>
          Decline
        </Button>
      </div>
    </div>
  )
}

function formatted(text: string): string {
  const value = safeJson(text)
  return value === undefined ? text : jsonText(value)
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
