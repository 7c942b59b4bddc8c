// A chat with `useChat` of the AI SDK. It is bundled and opened in a browser by chat.test.ts.
import { useChat } from '@ai-sdk/react'
import { lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'
import { createElement as h, useState } from 'react'
import { createRoot } from 'react-dom/client'

function Page() {
  const [input, setInput] = useState('')
  const { messages, sendMessage, addToolApprovalResponse, status, error, stop } = useChat({
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  const send = (event) => {
    event.preventDefault()
    sendMessage({ text: input })
    setInput('')
  }
  const answer = (id, approved) => addToolApprovalResponse({ id, approved })
  return h(
    'main',
    null,
    messages.map((message) =>
      h(
        'article',
        { key: message.id, 'data-role': message.role },
        message.parts.map((part, index) => h(Part, { key: index, part, answer })),
      ),
    ),
    h('output', { id: 'status' }, status),
    error && h('output', { id: 'error' }, error.message),
    h('button', { id: 'stop', type: 'button', onClick: stop }, 'Stop'),
    h('form', { onSubmit: send }, h('input', { value: input, onChange: (event) => setInput(event.target.value) })),
  )
}

function Part({ part, answer }) {
  if (part.type === 'text') return h('p', null, part.text)
  if (part.type === 'reasoning') return h('i', null, part.text)
  if (part.type === 'data-update') return h('em', null, part.data.update.place)
  if (part.type === 'data-pending') return h('q', null, part.data.prompt)
  if (!part.type.startsWith('tool-')) return null
  const { state, output, errorText, approval } = part
  return h(
    'pre',
    { 'data-tool': part.type, 'data-state': state },
    JSON.stringify(output ?? errorText ?? part.input),
    state === 'approval-requested' &&
      h('button', { type: 'button', onClick: () => answer(approval.id, true) }, 'Approve'),
    state === 'approval-requested' &&
      h('button', { type: 'button', onClick: () => answer(approval.id, false) }, 'Deny'),
  )
}

createRoot(document.body).render(h(Page))
