import { type ApprovalRule, approval, type HasApproval, Runtime, runConfig, tool, toolset } from '@toolgen/runtime'
import { base, encryptSensitive, modelPlanner, type RunSuspension, signSuspensions } from '@toolgen/runtime/agents'
import { quickJsSandbox, typescriptChecker, useCodeMode } from '@toolgen/runtime/code-mode'
import { agentToolsetRegistration } from '@toolgen/runtime/codegen/v1'
import { memoryStore, SessionRegistry } from '@toolgen/runtime/sessions'
import { calls, type ScriptStep, says, scriptedModel } from '@toolgen/runtime/testing'
import { describe, expect, it } from 'vitest'
import { crm, everywhere, marker, pseudonymsIn, secretIn, secrets } from './crm.fixture.js'

const key = 'k'.repeat(32)
const cipher = { sensitive: encryptSensitive({ key }), suspensions: signSuspensions({ key }) }

/** Lets every call of `mail` wait. */
const env: HasApproval = {
  approval: { approve: async ({ tool }) => (tool === 'crm.mail' ? 'suspend' : 'approve') },
}
const waiting = { env, config: runConfig().layer(approval()) }

function supportOf(steps: readonly ScriptStep[], options: ConstructorParameters<typeof Runtime>[0] = {}) {
  const { registration, received } = crm()
  const model = scriptedModel(steps)
  const design = { name: 'support', description: 'Answers customers.' }
  const runtime = new Runtime(options)
  const support = runtime.registerAgent(design, [registration], { planner: modelPlanner(model) })
  return { support, received, model, runtime }
}

const findsAndMails: readonly ScriptStep[] = [
  calls({ tool: 'find', arguments: { id: marker } }),
  ({ messages }) => {
    const { email = '', salary = '' } = pseudonymsIn(messages)
    return calls({ tool: 'mail', arguments: { to: email, amount: salary } })
  },
]

describe('suspensions', () => {
  it('contain no secrets, and another process with the key continues with the values', async () => {
    const first = supportOf(findsAndMails, cipher)
    const { suspension } = await first.support.run('Write.', waiting)
    const stored = JSON.stringify(suspension)
    expect(stored).toContain(marker)
    expect(secretIn(stored)).toBeUndefined()
    const second = supportOf([({ messages }) => says(`Sent to ${pseudonymsIn(messages).to}.`)], cipher)
    const pending: RunSuspension = JSON.parse(stored)
    const revealed = await second.runtime.reveal(pending.pending, pending)
    expect(revealed.map((call) => JSON.parse(call.arguments))).toEqual([{ to: secrets.email, amount: secrets.salary }])
    const answers = Object.fromEntries(pending.pending.map(({ id }) => [id, 'approve' as const]))
    const run = await second.support.resume(pending, answers, waiting)
    expect(second.received).toEqual([{ tool: 'mail', args: { to: secrets.email, amount: secrets.salary } }])
    expect(run.result?.text).toBe(`Sent to ${secrets.email}.`)
    expect(secretIn(second.model.requests.map(({ messages }) => messages))).toBeUndefined()
  })

  it('without a cipher, the same process continues with the values', async () => {
    const { support, received } = supportOf([...findsAndMails, says('Done.')])
    const { suspension } = await support.run('Write.', waiting)
    expect(secretIn(suspension)).toBeUndefined()
    const pending: RunSuspension = JSON.parse(JSON.stringify(suspension))
    await support.resume(pending, { [pending.pending[0]?.id ?? '']: 'approve' }, waiting)
    expect(received.at(-1)?.args).toEqual({ to: secrets.email, amount: secrets.salary })
  })

  it('a nested run and a program continue with the values', async () => {
    const checker = typescriptChecker()
    const sandbox = quickJsSandbox()
    const code = `const text = JSON.stringify(await crm.find({ id: '${marker}' }))
const [email = ''] = /email_[0-9a-f]{12}@redacted.invalid/.exec(text) ?? []
return await crm.mail({ to: email, body: '${marker}' })`
    /** The inner agent runs a program whose call of `mail` waits. */
    const register = (isFirst: boolean) => {
      const runtime = new Runtime(cipher)
      const { registration, received } = crm()
      const program = calls({ tool: 'run_program', arguments: { code } })
      const innerModel = scriptedModel(isFirst ? [program] : [says(`Sent, ${marker}.`)])
      const inner = runtime.registerAgent({ name: 'inner', description: 'Mails.' }, [registration], {
        agent: base(innerModel).with(useCodeMode({ checker, sandbox })).build(),
      })
      const desk = toolset('desk', tool({ name: 'ask', description: 'Asks.', parameters: {}, run: () => null }))
      const served = agentToolsetRegistration(
        { toolset: desk.use.toolset, agent: { name: 'inner', description: 'Mails.' }, tools: { ask: { prose: true } } },
        inner,
      )
      const outerModel = scriptedModel(isFirst ? [calls({ tool: 'ask', arguments: {} })] : [says('Done.')])
      const outer = runtime.registerAgent({ name: 'outer', description: 'Asks.' }, [served], {
        agent: base(outerModel).build(),
      })
      return { outer, received, models: [innerModel, outerModel] }
    }
    const { suspension } = await register(true).outer.run('Write.', waiting)
    const stored = JSON.stringify(suspension)
    expect(stored).toContain(marker)
    expect(secretIn(stored)).toBeUndefined()
    const second = register(false)
    const pending: RunSuspension = JSON.parse(stored)
    const run = await second.outer.resume(pending, { [pending.pending[0]?.id ?? '']: 'approve' }, waiting)
    expect(run).toMatchObject({ status: 'completed', result: { text: 'Done.' } })
    expect(second.received).toEqual([{ tool: 'mail', args: { to: secrets.email, body: marker } }])
    expect(secretIn(second.models.map(({ requests }) => requests.map(({ messages }) => messages)))).toBeUndefined()
    await Promise.all([checker.close(), sandbox.close()])
  })

  it('a wrong key is an error', async () => {
    const { suspension } = await supportOf(findsAndMails, { sensitive: cipher.sensitive }).support.run(
      'Write.',
      waiting,
    )
    if (suspension === undefined) throw new Error('the run is not suspended')
    const other = supportOf([], { sensitive: encryptSensitive({ key: 'o'.repeat(32) }) })
    const run = await other.support.resume(suspension, {}, waiting)
    expect(run).toMatchObject({ status: 'failed' })
    expect(String(run.error?.cause)).toContain('previousKeys')
  })
})

describe('session stores', () => {
  it('contain no secrets, and the next opening of the session continues with the values', async () => {
    const saved: string[] = []
    const inner = memoryStore()
    const store = {
      ...inner,
      isDurable: true,
      save: (...args: Parameters<typeof inner.save>) => {
        saved.push(JSON.stringify(args))
        return inner.save(...args)
      },
    }
    const opened = (steps: readonly ScriptStep[]) => {
      const agent = supportOf(steps, cipher)
      return {
        ...agent,
        sessions: new SessionRegistry({ agents: { support: agent.support }, store, conversation: true }),
      }
    }
    const request = { userId: 'u', namespaces: ['support'] } as const
    const first = opened([findsAndMails[0] as ScriptStep, says(`Found ${marker}.`)])
    const session = await first.sessions.open('s', request)
    await session.run(first.support, 'Find the customer.')
    await first.sessions.close('s')
    expect(saved.join()).toContain(marker)
    expect(secretIn(saved.join())).toBeUndefined()
    const again = opened([
      ({ messages }) => calls({ tool: 'mail', arguments: { to: pseudonymsIn(messages).email ?? '' } }),
      says('Sent.'),
    ])
    const next = await again.sessions.open('s', request)
    await next.run(again.support, 'Write to the customer.')
    expect(again.received).toEqual([{ tool: 'mail', args: { to: secrets.email } }])
    await again.sessions.close('s')
    expect(secretIn(saved.join())).toBeUndefined()
  })

  it.each<ApprovalRule>(['call', { fields: ['iban', 'salary'] }])(
    'keep remembered approvals of values for the next opening: %j',
    async (remember) => {
      const saved: string[] = []
      const inner = memoryStore()
      const save: typeof inner.save = (...args) => {
        saved.push(JSON.stringify(args))
        return inner.save(...args)
      }
      const pay = tool({
        name: 'pay',
        description: 'Pays.',
        parameters: { type: 'object', properties: { iban: { type: 'string' }, salary: { type: 'number' } } },
        sensitive: { payload: { '/iban': everywhere, '/salary': everywhere } },
        run: () => marker,
      })
      let questions = 0
      const approve = async () => {
        questions += 1
        return { decision: 'approve', by: marker, remember } as const
      }
      const payOnce = async (iban: string): Promise<void> => {
        const design = { name: 'bank', description: 'Pays.' }
        const planner = modelPlanner(scriptedModel([]))
        const bank = new Runtime(cipher).registerAgent(design, [toolset('bank', pay).layer(approval())], { planner })
        const sessions = new SessionRegistry({ agents: { bank }, store: { ...inner, save, isDurable: true } })
        const session = await sessions.open('s', { userId: 'u', namespaces: ['bank'] })
        const outcome = await session.execute(
          { tool: 'pay', arguments: JSON.stringify({ iban, salary: secrets.salary }) },
          { env: { approval: { approve } } },
        )
        expect(outcome.status).toBe('completed')
        await sessions.close('s')
      }
      for (const iban of [secrets.iban, secrets.iban, 'FR76 3000 6000', secrets.iban]) await payOnce(iban)
      expect(questions).toBe(2)
      expect(saved.join()).toContain(marker)
      expect(secretIn(saved.join())).toBeUndefined()
    },
  )
})
