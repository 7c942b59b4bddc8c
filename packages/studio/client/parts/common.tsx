import { ActionIcon, Alert, Button, Loader } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { Component, type ReactNode, useState } from 'react'
import type { RequestFailure, StudioStatus } from '../api.js'

const ICONS = {
  tools: 'M14.7 6.3a4 4 0 0 0-5.3 5.1L4 16.8 7.2 20l5.4-5.4a4 4 0 0 0 5.1-5.3l-2.5 2.5-2.6-.6-.6-2.6z',
  runs: 'M4 6h10M4 12h16M4 18h7M18 4v4M15 16v4',
  chat: 'M5 5h14a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1h-8l-5 4v-4H5a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1z',
  contract: 'M7 3h7l4 4v14H7zM14 3v4h4M10 12h5M10 16h5',
  replay: 'M4 12a8 8 0 1 0 2.6-5.9M4 4v4h4M12 8v4l3 2',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2',
  moon: 'M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5z',
  screen: 'M4 5h16v11H4zM9 20h6M12 16v4',
  keyboard: 'M3 7h18v10H3zM7 11v.5M12 11v.5M17 11v.5M8 14h8',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M6 6l12 12M18 6L6 18',
  right: 'M9 6l6 6-6 6',
  down: 'M6 9l6 6 6-6',
  back: 'M15 6l-6 6 6 6',
  search: 'M10.5 5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM15 15l5 5',
  play: 'M7 5l12 7-12 7z',
  stop: 'M7 7h10v10H7z',
  plus: 'M12 5v14M5 12h14',
  warn: 'M12 4L3 19.5h18zM12 10v4.5M12 17v.5',
  compare: 'M9 5H5v14h4M15 5h4v14h-4M12 3v18',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  bot: 'M6 9h12v9H6zM12 5v4M9.5 13v1M14.5 13v1M3 13v2M21 13v2',
  shield: 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6z',
  swap: 'M5 8h13l-3-3M19 16H6l3 3',
} as const

export type IconName = keyof typeof ICONS

/** Icon that screen readers skip. Add a text or label next to the icon. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={ICONS[name]} />
    </svg>
  )
}

export type Tone = 'neutral' | 'good' | 'bad' | 'warn' | 'info'

export function Tag({ tone = 'neutral', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return <span className={`tag tag-${tone}`}>{children}</span>
}

const BADGE_TONES: Readonly<Record<string, Tone>> = {
  'read-only': 'good',
  destructive: 'bad',
  approval: 'warn',
  streaming: 'info',
  deprecated: 'bad',
}

export function ToolBadges({ badges }: { readonly badges: readonly string[] }) {
  return badges.map((badge) => (
    <Tag key={badge} tone={BADGE_TONES[badge] ?? (badge.startsWith('writes') ? 'warn' : 'neutral')}>
      {badge}
    </Tag>
  ))
}

const STATUS_TONES: Readonly<Record<StudioStatus, Tone>> = {
  running: 'info',
  waiting: 'warn',
  completed: 'good',
  stopped: 'warn',
  suspended: 'warn',
  cancelled: 'neutral',
  denied: 'warn',
  failed: 'bad',
}

export function toneOf(status: string): Tone {
  return STATUS_TONES[status as StudioStatus] ?? 'neutral'
}

export function StatusTag({ status }: { readonly status: string }) {
  return (
    <span className={`tag tag-${toneOf(status)}`} data-status={status}>
      <span className={status === 'running' ? 'dot pulse' : 'dot'} aria-hidden="true" />
      {status}
    </span>
  )
}

export function CopyIcon({
  text,
  label = 'Copy',
}: {
  readonly text: string | (() => string)
  readonly label?: string
}) {
  const { copy, copied } = useClipboard({ timeout: 1500 })
  return (
    // Uses `title` instead of Mantine's slow tooltip, because a page has a copy button for each value.
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      title={copied ? 'Copied' : label}
      aria-label={copied ? 'Copied' : label}
      onClick={() => copy(typeof text === 'string' ? text : text())}
    >
      <Icon name={copied ? 'check' : 'copy'} size={14} />
    </ActionIcon>
  )
}

/** Section that opens after a click. Renders its content only after the first click. */
export function Details({
  title,
  isOpen = false,
  children,
}: {
  readonly title: ReactNode
  readonly isOpen?: boolean
  readonly children: ReactNode
}) {
  const [wasOpen, setWasOpen] = useState(isOpen)
  return (
    <details className="details" open={isOpen} onToggle={({ currentTarget }) => currentTarget.open && setWasOpen(true)}>
      <summary>{title}</summary>
      {wasOpen && children}
    </details>
  )
}

interface BoundaryProps {
  readonly fallback: ReactNode
  /** Address of the page. When the address changes after an error, the boundary renders its children again. */
  readonly address?: string
  readonly children: ReactNode
}

export class Boundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override readonly state: { readonly hasFailed: boolean } = { hasFailed: false }

  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true }
  }

  override componentDidUpdate({ address }: BoundaryProps, { hasFailed }: { readonly hasFailed: boolean }): void {
    if (hasFailed && address !== this.props.address) this.setState({ hasFailed: false })
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children
  }
}

export function Empty({
  icon,
  title,
  children,
}: {
  readonly icon: IconName
  readonly title: string
  readonly children?: ReactNode
}) {
  return (
    <div className="empty">
      <span className="empty-icon">
        <Icon name={icon} size={22} />
      </span>
      <p className="empty-title">{title}</p>
      {children !== undefined && <div className="empty-text">{children}</div>}
    </div>
  )
}

export function Loading({ label }: { readonly label: string }) {
  return (
    <div className="empty" role="status">
      <Loader size="sm" aria-hidden="true" />
      <p className="empty-text">{label}</p>
    </div>
  )
}

/** Text in which backticks mark code. */
export function Prose({ text }: { readonly text: string }) {
  // The key is the index, because parts never change their positions.
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={`${index}`}>{part}</code> : part))
}

export function Failure({
  error,
  retry,
  action = retry && { label: 'Try again', run: retry },
}: {
  readonly error: RequestFailure
  readonly retry?: () => void
  readonly action?: { readonly label: string; readonly run: () => void }
}) {
  return (
    <Alert
      color="red"
      variant="light"
      icon={<Icon name="warn" />}
      title={<Prose text={error.message} />}
      role="alert"
      className="failure"
    >
      {error.next !== undefined && <Prose text={error.next} />}
      {action !== undefined && (
        <Button
          size="compact-xs"
          variant="default"
          mt={error.next === undefined ? 0 : 8}
          onClick={action.run}
          display="block"
        >
          {action.label}
        </Button>
      )}
    </Alert>
  )
}

export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className="code">
      <div className="code-copy">
        <CopyIcon text={text} label={`Copy ${label}`} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll the text with the keyboard. */}
      <section className="code-text" tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
    </div>
  )
}

export function duration(ms: number): string {
  if (ms < 1) return '<1 ms'
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  const minutes = Math.floor(ms / 60_000)
  return minutes < 60 ? `${minutes} min ${Math.round((ms % 60_000) / 1000)} s` : `${(minutes / 60).toFixed(1)} h`
}

export function count(value: number): string {
  return value.toLocaleString('en-US')
}

/** Formats a cost without a currency, because the studio does not know the currency of the prices. */
export function cost(value: number): string {
  return value === 0 ? '0' : value < 0.01 ? value.toPrecision(2) : value.toFixed(2)
}

export function time(at: number): string {
  const date = new Date(at)
  const isToday = date.toDateString() === new Date().toDateString()
  const clock = date.toLocaleTimeString('en-GB')
  return isToday ? clock : `${date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })} ${clock}`
}

export function plural(number: number, word: string): string {
  return `${count(number)} ${word}${number === 1 ? '' : 's'}`
}

export const VENDORS: Readonly<Record<string, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Gemini',
  mcp: 'MCP',
}
