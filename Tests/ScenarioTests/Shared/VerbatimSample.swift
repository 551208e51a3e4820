// swift-format-ignore-file

import Foundation
import TenureClient

// The sample of the documentation that apps are ported from: product name and UI argument apart, not a character is
// changed. It is not formatted either.

@MainActor private func NSLog(_ line: String) { SampleLog.shared.lines.append(line) }

/// Registers as the sample does.
func runVerbatimSample() {
 let appCredentials : AppCredentials = AppCredentials(appId: "<appId>", appSecret: "<appSecret>", 
 appSalt: "<appSalt>", baseURL: "<baseURL>")
 
 TenureCore.sharedInstance().register(withCompanyName: "<companyName>",
                                   companyEmployeeId: "<companyEmployeeId>",
                                               email: "<email>",
                                 isCompanyOwnedEmail:true,
                                 appCredentials: appCredentials,
                          newUserCredentialsCallback: {
        
        var securityQuestionsAnswers : [SecurityQuestionAnswer] = [SecurityQuestionAnswer]()
        securityQuestionsAnswers.append(SecurityQuestionAnswer(question:"<Question1>", answer: "<Answer1>"))
        securityQuestionsAnswers.append(SecurityQuestionAnswer(question:"<Question2>", answer: "<Answer2>"))
        securityQuestionsAnswers.append(SecurityQuestionAnswer(question:"<Question3>", answer: "<Answer3>"))
        securityQuestionsAnswers.append(SecurityQuestionAnswer(question:"<Question4>", answer: "<Answer4>"))
        securityQuestionsAnswers.append(SecurityQuestionAnswer(question:"<Question5>", answer: "<Answer5>"))
        
        TenureCore.sharedInstance().setNewUserCredentials(securityQuestionsAnswers, passphrase: "<passphrase>", authorizeEmployeeCallback:{ (employeePublicKey) in
          NSLog("Authorization of EmployeePublicKey is Pending")
        }, success: {
          NSLog("Registered With Tenure Successfully")
        }, failure: {(error) in
          NSLog("Tenure registration failed with Error")
        })
      }, securityQuestionsCallback: { (securityQuestions) in
        
        var securityAnswers : [SecurityAnswer] = [SecurityAnswer]()
        securityAnswers.append(SecurityAnswer(questionId: "<QuestionId1>", answer: "<Answer1>"))
        securityAnswers.append(SecurityAnswer(questionId: "<QuestionId2>", answer: "<Answer2>"))
        securityAnswers.append(SecurityAnswer(questionId: "<QuestionId3>", answer: "<Answer3>"))
        securityAnswers.append(SecurityAnswer(questionId: "<QuestionId4>", answer: "<Answer4>"))
        securityAnswers.append(SecurityAnswer(questionId: "<QuestionId5>", answer: "<Answer5>"))
        
        TenureCore.sharedInstance().validateSecurityQuestions(securityAnswers,
                                                             authorizeEmployeeCallback: { (employeePublicKey) in
          NSLog("Authorization of EmployeePublicKey is Pending")
        }, success: {
          NSLog("Security Questions are validated and registered with Tenure successfully.")
        }, failure: {(error) in
          NSLog("Security questions validation failed with error")
        })
        
      }, passphraseCallback: {
        
        TenureCore.sharedInstance().validatePassphrase("<passphrase>",
                                                      authorizeEmployeeCallback: { (employeePublicKey) in
          NSLog("Authorization of EmployeePublicKey is Pending")
          
        }, success: {
          NSLog("Passphrase is validated and registered with Tenure successfully.")
        }, failure: {(error) in
          NSLog("Passphrase validation failed with error")
        })
        
      }, authorizeEmployeeCallback: { (employeePublicKey) in
        NSLog("Authorization of EmployeePublicKey is Pending")
      }, success: {
        NSLog("Registered With Tenure Successfully")
      }, failure: { (error) in
        NSLog("Tenure registration failed with Error")
})
}
