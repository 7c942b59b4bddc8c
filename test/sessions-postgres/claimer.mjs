// A process that claims the suspensions that its parent names, and says what the claims answered.
import { postgresClaims } from '@toolgen/runtime/postgres'
import pg from 'pg'

const [url, options] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString: url, options, max: 4 })
const claims = postgresClaims((text, values) => pool.query(text, values))

process.on('message', async ({ ids }) => {
  if (ids === undefined) {
    await pool.end()
    process.disconnect()
    return
  }
  const answers = await Promise.all(ids.map((id) => claims.claim(id, { suspendedAt: Date.now() })))
  process.send(answers)
})
process.send('ready')
