import { UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { CopyIcon, Icon } from './common.js'

/** Number of entries of an object or array that the tree shows at first, and number of entries that each click adds. */
const SHOWN = 100
/** Maximum number of characters of a string that the tree shows at first. A click shows the whole string. */
const SHOWN_TEXT = 2000

/** Maximum number of lines of a tree that is completely open at first. */
const OPEN_LINES = 20
/** Number of levels that are open at first in a larger tree, with more than {@link OPEN_LINES} lines. */
const OPEN_LEVELS = 2

function fits(value: unknown, lines: number): boolean {
  const rest: unknown[] = [value]
  for (let count = 1; rest.length > 0; count += 1) {
    if (count + rest.length - 1 > lines) return false
    const next = rest.pop()
    if (next !== null && typeof next === 'object') rest.push(...Object.values(next).slice(0, lines))
  }
  return true
}

export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  return (
    <div className="json">
      <div className="code-copy">
        <CopyIcon text={() => JSON.stringify(value, null, 2) ?? ''} label={`Copy ${label}`} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll the tree with the keyboard. */}
      <section className="json-tree" tabIndex={0} aria-label={label}>
        <Value value={value} levels={fits(value, OPEN_LINES) ? OPEN_LINES : OPEN_LEVELS} />
      </section>
    </div>
  )
}

interface ValueProps {
  readonly value: unknown
  readonly levels: number
  readonly name?: string
}

function Value({ value, levels, name }: ValueProps) {
  const [isOpen, setOpen] = useState(levels > 0)
  const [shown, setShown] = useState(SHOWN)
  const key = name !== undefined && <span className="json-key">{name}: </span>
  if (value === null || typeof value !== 'object') {
    return (
      <div className="json-line">
        {key}
        <Scalar value={value} />
      </div>
    )
  }
  const isArray = Array.isArray(value)
  const entries = Object.entries(value)
  const size = isArray ? `[${entries.length}]` : `{${entries.length}}`
  if (entries.length === 0) {
    return (
      <div className="json-line">
        {key}
        <span className="json-size">{isArray ? '[]' : '{}'}</span>
      </div>
    )
  }
  return (
    <div>
      <button type="button" className="json-line json-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'right'} size={12} />
        {key}
        <span className="json-size">{size}</span>
      </button>
      {isOpen && (
        <div className="json-children">
          {entries.slice(0, shown).map(([each, child]) => (
            <Value key={each} name={each} value={child} levels={levels - 1} />
          ))}
          {entries.length > shown && (
            <UnstyledButton className="link" onClick={() => setShown(shown + SHOWN)}>
              Show {Math.min(SHOWN, entries.length - shown)} more of {entries.length}
            </UnstyledButton>
          )}
        </div>
      )}
    </div>
  )
}

function Scalar({ value }: { readonly value: unknown }) {
  const [isWhole, setWhole] = useState(false)
  if (typeof value !== 'string') return <span className={`json-${typeof value}`}>{String(value)}</span>
  const isLong = value.length > SHOWN_TEXT && !isWhole
  return (
    <span className="json-string">
      {JSON.stringify(isLong ? `${value.slice(0, SHOWN_TEXT)}…` : value)}
      {isLong && (
        <UnstyledButton className="link" onClick={() => setWhole(true)}>
          {' '}
          show all
        </UnstyledButton>
      )}
    </span>
  )
}
