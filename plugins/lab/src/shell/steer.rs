//! Compound commands at work: groups, `if`, loops, `for`, `case`.

use super::expand;
use super::pattern;
use super::state::{Flow, Shell};
use super::syntax::{Kind, List, Word};

pub(super) async fn kind(shell: &mut Shell, kind: &Kind) -> Flow {
    match kind {
        Kind::Group(list) => shell.list(list).await,
        Kind::Subshell(list) => {
            let mut child = shell.fork();
            child.list(list).await;
            child.leave().await;
            shell.status = child.status;
            Flow::On
        }
        Kind::If { arms, otherwise } => choose(shell, arms, otherwise.as_ref()).await,
        Kind::Loop { until, condition, body } => repeat(shell, *until, condition, body).await,
        Kind::For { name, words, body } => each(shell, name, words.as_deref(), body).await,
        Kind::Case { subject, arms } => case(shell, subject, arms).await,
        Kind::Function { name, body } => {
            shell.env.functions.insert(name.clone(), body.clone());
            shell.status = 0;
            Flow::On
        }
        Kind::Simple { .. } => Flow::On, // handled by `command`
    }
}

async fn choose(shell: &mut Shell, arms: &[(List, List)], otherwise: Option<&List>) -> Flow {
    for (condition, body) in arms {
        let flow = shell.list(condition).await;
        if flow != Flow::On {
            return flow;
        }
        if shell.status == 0 {
            return shell.list(body).await;
        }
    }
    shell.status = 0;
    match otherwise {
        Some(body) => shell.list(body).await,
        None => Flow::On,
    }
}

async fn repeat(shell: &mut Shell, until: bool, condition: &List, body: &List) -> Flow {
    let mut last = 0;
    loop {
        shell.pay().await;
        let mut flow = shell.list(condition).await;
        if flow == Flow::On {
            if (shell.status == 0) == until {
                shell.status = last;
                return Flow::On;
            }
            flow = shell.list(body).await;
            last = shell.status;
        }
        if let Some(end) = round_end(flow) {
            return end;
        }
    }
}

async fn each(shell: &mut Shell, name: &str, words: Option<&[Word]>, body: &List) -> Flow {
    let values = match words {
        None => shell.env.params.clone(),
        Some(words) => match expand::fields(shell, words).await {
            Ok(values) => values,
            Err(complaint) => return shell.fatal(&complaint).await,
        },
    };
    shell.status = 0;
    for value in values {
        shell.pay().await;
        shell.env.vars.insert(name.to_owned(), value);
        if let Some(end) = round_end(shell.list(body).await) {
            return end;
        }
    }
    Flow::On
}

async fn case(shell: &mut Shell, subject: &Word, arms: &[(Vec<Word>, List)]) -> Flow {
    let text = match expand::text(shell, subject).await {
        Ok(text) => text.chars().collect::<Vec<_>>(),
        Err(complaint) => return shell.fatal(&complaint).await,
    };
    shell.status = 0;
    for (patterns, list) in arms {
        for word in patterns {
            match expand::pattern(shell, word).await {
                Ok(pattern) if pattern::matches(&pattern, &text) => return shell.list(list).await,
                Ok(_) => {}
                Err(complaint) => return shell.fatal(&complaint).await,
            }
        }
    }
    Flow::On
}

/// What a loop does after a round: nothing to go on, or how it leaves.
fn round_end(flow: Flow) -> Option<Flow> {
    match flow {
        Flow::On | Flow::Continue(1) => None,
        Flow::Break(1) => Some(Flow::On),
        Flow::Break(levels) => Some(Flow::Break(levels - 1)),
        Flow::Continue(levels) => Some(Flow::Continue(levels - 1)),
        Flow::Return | Flow::Exit => Some(flow),
    }
}
