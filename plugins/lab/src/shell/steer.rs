//! Compound commands at work: groups, `if`, loops, `for`, `case`.

use super::pattern;
use super::run::{Flow, Shell};
use super::syntax::{Kind, List, Word};

impl Shell {
    pub(super) async fn kind(&mut self, kind: &Kind) -> Flow {
        match kind {
            Kind::Group(list) => self.list(list).await,
            Kind::Subshell(list) => {
                let mut child = self.fork();
                child.list(list).await;
                child.leave().await;
                self.status = child.status;
                Flow::On
            }
            Kind::If { arms, otherwise } => self.choose(arms, otherwise.as_ref()).await,
            Kind::Loop { until, condition, body } => self.repeat(*until, condition, body).await,
            Kind::For { name, words, body } => self.each(name, words.as_deref(), body).await,
            Kind::Case { subject, arms } => self.case(subject, arms).await,
            Kind::Function { name, body } => {
                self.functions.insert(name.clone(), body.clone());
                self.status = 0;
                Flow::On
            }
            Kind::Simple { .. } => Flow::On, // handled by `command`
        }
    }

    async fn choose(&mut self, arms: &[(List, List)], otherwise: Option<&List>) -> Flow {
        for (condition, body) in arms {
            let flow = self.list(condition).await;
            if flow != Flow::On {
                return flow;
            }
            if self.status == 0 {
                return self.list(body).await;
            }
        }
        self.status = 0;
        match otherwise {
            Some(body) => self.list(body).await,
            None => Flow::On,
        }
    }

    async fn repeat(&mut self, until: bool, condition: &List, body: &List) -> Flow {
        let mut last = 0;
        loop {
            self.pay().await;
            let mut flow = self.list(condition).await;
            if flow == Flow::On {
                if (self.status == 0) == until {
                    self.status = last;
                    return Flow::On;
                }
                flow = self.list(body).await;
                last = self.status;
            }
            if let Some(end) = round_end(flow) {
                return end;
            }
        }
    }

    async fn each(&mut self, name: &str, words: Option<&[Word]>, body: &List) -> Flow {
        let values = match words {
            None => self.params.clone(),
            Some(words) => match self.fields(words).await {
                Ok(values) => values,
                Err(complaint) => return self.fatal(&complaint).await,
            },
        };
        self.status = 0;
        for value in values {
            self.pay().await;
            self.vars.insert(name.to_owned(), value);
            if let Some(end) = round_end(self.list(body).await) {
                return end;
            }
        }
        Flow::On
    }

    async fn case(&mut self, subject: &Word, arms: &[(Vec<Word>, List)]) -> Flow {
        let text = match self.text(subject).await {
            Ok(text) => text.chars().collect::<Vec<_>>(),
            Err(complaint) => return self.fatal(&complaint).await,
        };
        self.status = 0;
        for (patterns, list) in arms {
            for word in patterns {
                match self.pattern(word).await {
                    Ok(pattern) if pattern::matches(&pattern, &text) => return self.list(list).await,
                    Ok(_) => {}
                    Err(complaint) => return self.fatal(&complaint).await,
                }
            }
        }
        Flow::On
    }
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
